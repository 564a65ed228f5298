// What ordinary commands need of a machine, found by running them: nothing here holds anybody's secrets, and folders are
// named one by one where a whole one would (`/etc`, a home). Missing paths grant nothing.
import { words } from "./scopes.ts";

/** Programs and libraries: read and execute. */
export const SYSTEM_PROGRAMS: readonly string[] = words(
  "/usr /bin /sbin /lib /lib32 /lib64 /opt /nix /gnu/store /snap/bin /etc/alternatives",
);

/** Configuration that programs look for: read. */
export const SYSTEM_SETTINGS: readonly string[] = words(
  "passwd group nsswitch.conf hosts host.conf gai.conf resolv.conf hostname protocols services shells",
  "localtime timezone locale.alias locale.conf default/locale os-release debian_version lsb-release",
  "redhat-release alpine-release arch-release machine-id environment",
  "ssl ca-certificates ca-certificates.conf pki crypto-policies",
  "ld.so.cache ld.so.conf ld.so.conf.d ld.so.preload ld-musl-x86_64.path ld-musl-aarch64.path",
  "profile profile.d bash.bashrc bashrc bash_completion.d inputrc skel login.defs",
  "gitconfig gitattributes npmrc mime.types magic terminfo manpath.config fonts papersize",
  "python3 java maven gradle perl php R ruby lua vim nanorc less sensible-editor ImageMagick-6",
  "mke2fs.conf apt/sources.list apt/sources.list.d dpkg debconf.conf",
).map((name) => `/etc/${name}`);

/** Versioned names below /etc. */
export const SYSTEM_SETTINGS_PREFIXES: readonly string[] = ["python3.", "java-", "ImageMagick-", "php"];

/** Data of the system: read. */
export const SYSTEM_DATA: readonly string[] = words("/var/lib/dpkg /var/cache/fontconfig /run/systemd/resolve");

/** What the kernel shows about itself: read by processes, never by file tools (R463). */
export const KERNEL_VIEWS: readonly string[] = words(
  "/proc /sys/devices/system /sys/fs/cgroup /sys/kernel/mm/transparent_hugepage",
);

/** Devices that hold nothing. No terminal: the user types into it. */
export const DEVICES: readonly string[] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/**
 * Toolchains below a home: read and execute. The home is closed but for these. Each holds what an installer put there,
 * never a folder beside which settings, tokens or files that a person or a shell writes may lie.
 */
export const HOME_TOOLCHAINS: readonly string[] = words(
  // Rust, Go, the JVM.
  ".cargo/bin .cargo/registry/cache .cargo/registry/index .cargo/registry/src",
  ".rustup/toolchains .rustup/settings.toml .rustup/update-hashes go/bin go/pkg/mod go/pkg/sumdb .sdkman/candidates",
  ".goenv/bin .goenv/libexec .goenv/shims .goenv/version .goenv/versions .gvm/gos .gvm/pkgsets .jenv/bin .jenv/libexec",
  ".jenv/shims .jenv/version .jenv/versions .jbang/bin .jbang/cache .local/share/coursier/bin .cache/coursier/v1",
  ".m2/repository .m2/wrapper .gradle/caches .gradle/jdks .gradle/wrapper",
  // Node.js, Bun, Deno.
  ".nvm/versions .nvm/alias .nvm/nvm.sh .nvm/nvm-exec .volta/bin .volta/tools .bun/bin .deno/bin",
  ".bun/install/cache .bun/install/global/node_modules .local/bin .local/lib .npm-global/bin .npm-global/lib",
  ".npm-packages/bin .npm-packages/lib .npm-packages/share .yarn/bin .yarn/releases .config/yarn/global/node_modules",
  ".local/share/yarn/global/node_modules n/bin n/include n/lib n/n/versions n/share .n/bin .n/include .n/lib .n/n/versions",
  ".nodenv/bin .nodenv/libexec .nodenv/plugins .nodenv/shims .nodenv/version .nodenv/versions .nodebrew/current .nodebrew/node",
  ".fnm/aliases .fnm/node-versions .local/share/fnm/aliases .local/share/fnm/node-versions .node-gyp .cache/node/corepack",
  ".local/share/pnpm/bin .local/share/pnpm/global .local/share/pnpm/nodejs .local/share/pnpm/store .local/share/pnpm/.tools",
  // Python.
  ".pyenv/bin .pyenv/completions .pyenv/libexec .pyenv/plugins .pyenv/pyenv.d .pyenv/shims",
  ".pyenv/version .pyenv/versions .local/share/uv/python .local/share/uv/tools",
  ".local/share/pipx/py .local/share/pipx/shared .local/share/pipx/venvs .local/pipx/py .local/pipx/shared .local/pipx/venvs",
  ".rye/py .rye/self .rye/shims .rye/tools .rye/uv .poetry/bin .poetry/lib .local/share/pypoetry/venv .pixi/bin .pixi/envs",
  ".local/share/hatch/pythons .local/share/hatch/env",
  // Ruby, Perl, PHP, Lua.
  ".rbenv/bin .rbenv/libexec .rbenv/plugins .rbenv/rbenv.d .rbenv/shims .rbenv/version .rbenv/versions",
  ".local/share/gem/ruby .gem/ruby .rubies .rvm/bin .rvm/gems .rvm/rubies .rvm/scripts .rvm/wrappers .rvm/environments",
  ".plenv/bin .plenv/libexec .plenv/shims .plenv/version .plenv/versions perl5/bin perl5/lib perl5/perlbrew/perls",
  ".phpenv/bin .phpenv/libexec .phpenv/shims .phpenv/version .phpenv/versions .config/composer/vendor .composer/vendor",
  ".luarocks/bin .luarocks/lib .luarocks/share",
  // Version managers of several languages.
  ".asdf/asdf.sh .asdf/bin .asdf/installs .asdf/lib .asdf/plugins .asdf/shims",
  ".local/share/mise/installs .local/share/mise/plugins .local/share/mise/shims .local/share/rtx/installs .local/share/rtx/plugins",
  ".local/share/rtx/shims .proto/bin .proto/plugins .proto/shims .proto/tools .local/share/aquaproj-aqua/bin",
  ".local/share/aquaproj-aqua/pkgs .tenv .tfenv/bin .tfenv/lib .tfenv/libexec .tfenv/share .tfenv/version .tfenv/versions",
  // Others.
  ".ghcup/bin .ghcup/ghc .ghcup/cache .cabal/bin .cabal/packages .cabal/store .local/state/cabal/store .stack/programs",
  ".stack/snapshots .elan/bin .elan/toolchains .juliaup/bin .julia/juliaup .julia/packages .julia/artifacts .julia/compiled",
  ".dotnet/host .dotnet/packs .dotnet/sdk .dotnet/shared .dotnet/tools .nuget/packages .swiftly/bin .local/share/swiftly",
  ".pub-cache/bin .pub-cache/global_packages .pub-cache/hosted flutter/bin flutter/packages flutter/version fvm/versions",
  "Android/Sdk .nimble/bin .nimble/pkgs .nimble/pkgs2 .choosenim/toolchains .mix/archives .mix/elixir .mix/escripts",
  ".kiex/elixirs .zvm .foundry/bin .local/share/solana/install .avm/bin .krew/bin .krew/store .arkade/bin .fzf/bin",
  ".fzf/shell .local/share/nvim/mason .local/share/bob .platformio/penv .espressif/python_env .espressif/tools",
  ".local/share/JetBrains/Toolbox/scripts .wasmtime/bin .wasmer/bin .moon/bin .dprint/bin google-cloud-sdk/bin",
  "google-cloud-sdk/lib google-cloud-sdk/platform",
);

/** Folders below a home that are laid out as `/usr` is; `*` for each folder there. */
export const HOME_PREFIXES: readonly string[] = [
  ...["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"].flatMap((name) => [name, `${name}/envs/*`]),
  ...[".opam/*", ".virtualenvs/*", ".local/share/virtualenvs/*", ".cache/pypoetry/virtualenvs/*", "sdk/*"],
];

/** What of a folder that is laid out as `/usr` is programs and what they load; no `etc`, where people keep variables. */
export const PREFIX_PARTS: readonly string[] = words(
  "bin sbin condabin conda-meta include lib lib32 lib64 libexec man share ssl pyvenv.cfg",
  // Java's.
  "conf/security conf/net.properties conf/logging.properties jmods jre legal release",
  // Maven's and Gradle's.
  "boot init.d conf/logging",
);

/** And what else, where a program of this name is in its `bin`. */
export const PARTS_BY_PROGRAM: Readonly<Record<string, readonly string[]>> = {
  go: ["VERSION", "go.env", "pkg", "src"],
  flutter: ["packages", "version"],
};

/** What a grant of the whole disk still leaves out; the pieces that programs need are granted by name above. */
export const NEVER_WITH_ALL: readonly string[] = ["/proc", "/sys", "/dev", "/run"];

/** Shared by all users: never granted for writing as part of something larger. */
export const SHARED_TEMPORARY: readonly string[] = ["/tmp", "/var/tmp", "/dev/shm"];
