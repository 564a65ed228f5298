# Installs sandpiper below a folder of yours: PREFIX\bin\sandpiper.exe. For PowerShell 5.1 and later.
#
#   SANDPIPER_PREFIX    where to, %LOCALAPPDATA%\sandpiper unless set
#   SANDPIPER_BASE_URL  where the files of a release are: archives and SHA256SUMS
#
# Nothing is put in place before its checksum is right, and a run that fails leaves everything as it was.
& {
  $ErrorActionPreference = 'Stop'
  Set-StrictMode -Version Latest
  $ProgressPreference = 'SilentlyContinue'
  $version = '@VERSION@'
  if ($version.StartsWith('@')) { throw 'this file is the one of the sources; take install.ps1 of a release' }
  $base = if ($env:SANDPIPER_BASE_URL) { $env:SANDPIPER_BASE_URL } else { '@BASE@' }
  if ($base -match '^http:' -and $base -notmatch '^http://(127\.0\.0\.1|localhost)[:/]') {
    throw "$base is open to anyone on the way, who could change all of it; use https"
  }
  $prefix = if ($env:SANDPIPER_PREFIX) { $env:SANDPIPER_PREFIX } else { Join-Path $env:LOCALAPPDATA 'sandpiper' }
  if (-not [Environment]::Is64BitOperatingSystem) { throw 'there is no archive for 32-bit systems' }
  $name = "sandpiper-$version-win32-x64"

  $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
  $staged = $null
  New-Item -ItemType Directory -Path $work | Out-Null
  try {
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    $sums = Join-Path $work 'SHA256SUMS'
    $archive = Join-Path $work 'archive.zip'
    Invoke-WebRequest -UseBasicParsing -Uri "$base/SHA256SUMS" -OutFile $sums
    $wanted = Get-Content $sums | ForEach-Object { , ($_ -split '\s+\*?', 2) } |
      Where-Object { $_[1] -eq "$name.zip" } | ForEach-Object { $_[0] } | Select-Object -First 1
    if (-not $wanted) { throw "$base/SHA256SUMS does not name $name.zip" }
    Invoke-WebRequest -UseBasicParsing -Uri "$base/$name.zip" -OutFile $archive
    $found = (Get-FileHash -Algorithm SHA256 -Path $archive).Hash
    if ($found -ne $wanted) {
      throw "$name.zip has the SHA-256 $found, and SHA256SUMS names ${wanted}: it is damaged, or somebody changed it"
    }
    Expand-Archive -Path $archive -DestinationPath $work
    $made = Join-Path $work "$name\sandpiper.exe"
    & $made --version | Out-Null
    if ($LASTEXITCODE -ne 0) { throw 'the program does not run on this system' }

    $bin = Join-Path $prefix 'bin'
    $share = Join-Path $prefix 'share\sandpiper'
    New-Item -ItemType Directory -Force -Path $bin, $share | Out-Null
    $prefix = (Resolve-Path $prefix).ProviderPath
    $program = Join-Path $prefix 'bin\sandpiper.exe'
    $staged = "$program.$PID"
    Copy-Item -Path $made -Destination $staged
    # A program that runs cannot be overwritten, but it can be renamed.
    if (Test-Path $program) {
      Get-ChildItem "$program.old*" | Remove-Item -ErrorAction SilentlyContinue
      Rename-Item -Path $program -NewName "sandpiper.exe.old$PID"
    }
    try { Rename-Item -Path $staged -NewName 'sandpiper.exe' }
    catch {
      if (Test-Path "$program.old$PID") { Rename-Item -Path "$program.old$PID" -NewName 'sandpiper.exe' }
      throw
    }
    Remove-Item "$program.old$PID" -ErrorAction SilentlyContinue
    $receipt = "by=install.ps1`nversion=$version`nfrom=$base`npath=$program`n"
    [IO.File]::WriteAllText((Join-Path $prefix 'share\sandpiper\install-receipt'), $receipt)
    Write-Output "sandpiper $version is installed: $program"
    if (($env:PATH -split ';') -notcontains $bin) {
      Write-Output "$bin is not in your PATH. For this shell: `$env:PATH = '$bin;' + `$env:PATH"
    }
  }
  finally {
    if ($staged -and (Test-Path $staged)) { Remove-Item $staged }
    Remove-Item -Recurse -Force $work
  }
}
