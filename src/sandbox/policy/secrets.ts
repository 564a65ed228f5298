// Where secrets live. Read by no tool whatever is allowed, and written by none: a key that is planted is as bad as one that
// is taken.
import { isAbsolute, join, normalize } from "@std/path";
import { isInside, KERNEL_FILES } from "../../core/policy.ts";
import type { FolderView } from "../system/folder_view.ts";
import { presentBelow } from "./readable.ts";
import { unique, words } from "./scopes.ts";

/** Where programs keep secrets. */
export interface SecretPlaces {
  /** The programs. */
  readonly of: string;
  /** Where their documentation says so; `not looked up` if the places are only known from use. */
  readonly source: string;
  /** Files and directories below a home. */
  readonly home: readonly string[];
  /** Places that a variable moves: its name, or its name and what below its value is secret (`CARGO_HOME/credentials`). */
  readonly moved: readonly string[];
}

/**
 * The table of secret places. A row begins with the programs and where their documentation names the places. The places follow,
 * indented: files and directories below a home, and after `$` those that a variable moves. A directory is listed whole unless
 * everyday tools need other parts of it. The directories of the XDG Base Directory Specification have their usual names.
 */
const TABLE = String.raw`
# Keys and passwords.
OpenSSH: ssh(1), FILES
  .ssh .rhosts .shosts
GnuPG: gpg(1), FILES
  .gnupg .caff $GNUPGHOME
pass, gopass: pass(1), ENVIRONMENT VARIABLES; gopass, docs/config.md
  .password-store .local/share/gopass .config/gopass $PASSWORD_STORE_DIR
age, SOPS: SOPS, README, Encrypting using age
  .config/sops .config/age Library/Application\ Support/sops $SOPS_AGE_KEY_FILE
NSS, Kerberos, certificates: certutil(1); krb5.conf(5)
  .pki .local/share/pki .cert $KRB5_KTNAME
GNOME Keyring, KWallet, Keychain: gnome-keyring-daemon(1); KWallet handbook; security(1)
  .local/share/keyrings .gnome2/keyrings .local/share/kwalletd .kde/share/apps/kwallet .kde4/share/apps/kwallet
  Library/Keychains
1Password, Bitwarden, KeePassXC, LastPass, Dashlane, Proton Pass: not looked up
  .config/op .config/1Password .1password .config/Bitwarden .config/Bitwarden\ CLI .config/rbw .config/keepassxc
  .cache/keepassxc .lpass .local/share/dcli .config/Proton\ Pass .config/infisical .infisical .config/doppler .doppler
  Library/Application\ Support/Bitwarden Library/Application\ Support/Bitwarden\ CLI
  Library/Application\ Support/1Password $BITWARDENCLI_APPDATA_DIR
encrypted directories, Keybase, VeraCrypt: ecryptfs(7); fscrypt, README; not looked up
  .ecryptfs .fscrypt .Private .vaults .local/share/plasma-vault .config/keybase .VeraCrypt .TrueCrypt
netrc, authinfo, mail, FTP, SMB, WebDAV: netrc(5) of inetutils; auth-source of GNU Emacs; msmtp(1); davfs2(5); mount.cifs(8)
  .netrc _netrc .authinfo .authinfo.gpg .msmtprc .config/msmtp .fetchmailrc .mbsyncrc .config/isyncrc .offlineimaprc
  .config/neomutt .muttrc .mutt .config/mutt .smbcredentials .davfs2/secrets .lftprc .config/lftp .local/share/lftp
  .config/filezilla .ncftp .config/aerc .config/himalaya .cups $NETRC
# Databases.
PostgreSQL, MySQL, MariaDB, MongoDB, Redis, Snowflake, DBeaver, DataGrip: PostgreSQL, The Password File; MySQL, mysql_config_editor; not looked up
  .pgpass .pg_service.conf .my.cnf .mylogin.cnf .mongorc.js .mongoshrc.js .rediscli_auth .redisclirc .snowsql
  .snowflake .config/snowflake .dbeaver4 .dbeaver .local/share/DBeaverData .config/pgcli .config/litecli .config/mycli
  .sqlcmd .odbc.ini .config/tursodb .config/turso .planetscale .config/planetscale .config/neonctl .config/atlascli
  .config/mongocli $PGPASSFILE $PGSERVICEFILE
# Clouds and clusters.
AWS: AWS CLI, Configuration and credential file settings
  .aws .boto .s3cfg .passwd-s3fs .s3cmd .mc .config/s5cmd .saml2aws .aws-vault $AWS_SHARED_CREDENTIALS_FILE
  $AWS_CONFIG_FILE $AWS_WEB_IDENTITY_TOKEN_FILE $MC_CONFIG_DIR
Google Cloud: gcloud, topic configurations; Application Default Credentials
  .config/gcloud .gsutil .config/clasp .clasprc.json $CLOUDSDK_CONFIG $GOOGLE_APPLICATION_CREDENTIALS
Azure: Azure CLI, Configuration
  .azure .IdentityService $AZURE_CONFIG_DIR
other clouds: not looked up
  .oci .config/doctl .config/hcloud .aliyun .config/scw .config/linode-cli .config/vultr-cli.yaml .vultr-cli.yaml
  .config/civo .civo.json .bluemix .ovh.conf .config/upctl.yaml .config/openstack .runpod .vast_api_key .modal.toml
  .config/sky .sky .lightning $OCI_CLI_CONFIG_FILE $OS_CLIENT_CONFIG_FILE $MODAL_CONFIG_PATH
Kubernetes, Helm, Argo CD: kubectl, Organizing Cluster Access Using kubeconfig Files; Helm, helm registry login
  .kube .config/helm .config/argocd .argocd .config/k9s .minikube .k3d .config/k3d .talos .rancher .lens .config/Lens
  $KUBECONFIG $HELM_REGISTRY_CONFIG $HELM_REPOSITORY_CONFIG $TALOSCONFIG
Docker, Podman: docker login; containers-auth.json(5)
  .docker .dockercfg .config/containers $DOCKER_CONFIG/config.json $REGISTRY_AUTH_FILE
Terraform, OpenTofu, Pulumi, Vault, Ansible, Vagrant, Packer, tunnels: Terraform and OpenTofu, CLI configuration file; Pulumi, pulumi login; Vault, Token helper; not looked up
  .terraform.d .terraformrc .tofurc .config/opentofu .pulumi .vault-token .vault .vault_pass .vault_pass.txt .ansible_vault
  .ansible/galaxy_token .vagrant.d/data/vagrant_login_token .vagrant.d/insecure_private_key .packer.d .spacelift
  .config/infracost .chef .teleport .tsh .config/tailscale .config/cloudflared .cloudflared .ngrok2 .config/ngrok
  $TF_CLI_CONFIG_FILE $TOFU_CLI_CONFIG_FILE $PULUMI_HOME/credentials.json $ANSIBLE_VAULT_PASSWORD_FILE
hosting services: not looked up
  .fly .config/heroku .heroku .config/netlify .netlify .vercel .local/share/com.vercel.cli .config/.wrangler
  .wrangler/config .config/wrangler .config/supabase .supabase .railway .config/railway .config/firebase
  .config/configstore/firebase-tools.json .expo .platformsh .config/cloudfoundry .cf .convex .config/stripe
  .config/twilio-cli .twilio-cli .config/contentful .contentfulrc.json .sentryclirc .sentry .config/sentry .datadogrc
  .newrelic .config/ldcli Library/Application\ Support/com.vercel.cli Library/Preferences/.wrangler
  Library/Preferences/netlify $FLY_CONFIG_DIR $WRANGLER_HOME
backups and copies: rclone, rclone config file; restic, Environment Variables; borg, Key files; not looked up
  .config/rclone .rclone.conf .config/restic .config/borg .borgmatic .config/borgmatic .kopia .config/kopia
  .config/tarsnap .tarsnap.key .tarsnaprc .config/b2 .b2_account_info .config/syncthing .local/state/syncthing
  .dropbox .config/onedrive $RCLONE_CONFIG $RESTIC_PASSWORD_FILE $BORG_KEYS_DIR $BORG_CONFIG_DIR/keys $B2_ACCOUNT_INFO
# Package registries and forges.
package registries: npmrc; .pypirc; RubyGems, gem signin; Cargo, Registry Authentication; Maven, Password Encryption; not looked up
  .npmrc .yarnrc .yarnrc.yml .config/pnpm/rc .config/pnpm/auth.ini .pypirc .config/pip .pip .config/pypoetry
  .local/share/pypoetry/auth.toml .local/share/uv/credentials .config/hatch .cache/hatch/credentials .config/pdm
  .config/anaconda-client .config/binstar .gem/credentials .local/share/gem/credentials .cargo/credentials
  .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .ivy2/.credentials
  .sbt/.credentials .sbt/sonatype_credential .config/coursier/credentials.properties .composer/auth.json
  .config/composer/auth.json .nuget/NuGet .config/NuGet .pub-cache/credentials.json .config/dart/pub-credentials.json
  .hex/hex.config .jfrog .config/jfrog .config/cocoapods .cocoapods/trunk .config/jsr .conan/.conan.db
  .conan2/credentials.json .julia/servers $NPM_CONFIG_USERCONFIG $npm_config_userconfig $CARGO_HOME/credentials
  $CARGO_HOME/credentials.toml $GRADLE_USER_HOME/gradle.properties $COMPOSER_HOME/auth.json $PIP_CONFIG_FILE
  $UV_CREDENTIALS_DIR $POETRY_CONFIG_DIR/auth.toml $PUB_CACHE/credentials.json $HEX_HOME/hex.config
git, forges, continuous integration: git-credential-store(1); gh help environment; glab, Configuration; not looked up
  .git-credentials .config/git/credentials .git-credential-cache .cache/git/credential .gcm
  .config/git-credential-oauth .config/gh .config/glab-cli .config/hub .config/hub-token .config/tea .config/jira
  .jira.d .config/acli .circleci .travis .config/act .actrc .gitlab-runner .config/hut .gitea .arcrc .config/linear
  $GH_CONFIG_DIR $GLAB_CONFIG_DIR
# Browsers, mail and messengers, those among the Flatpaks with them.
browsers, mail, messengers: not looked up
  .mozilla .config/mozilla .cache/mozilla .librewolf .waterfox .config/google-chrome .config/google-chrome-beta
  .config/google-chrome-unstable .config/chromium .config/BraveSoftware .config/microsoft-edge .config/vivaldi
  .config/opera .local/share/qutebrowser .config/zen .config/epiphany .local/share/epiphany .tor-browser
  .local/share/torbrowser .thunderbird .config/evolution .local/share/evolution .config/geary .local/share/geary
  .config/Mailspring snap/firefox snap/chromium snap/thunderbird .config/Signal .config/Slack .config/discord
  .config/Element .local/share/TelegramDesktop .config/Microsoft .config/zoomus.conf .config/weechat .weechat
  .config/irssi .irssi .config/hexchat .purple .slack .var/app Library/Cookies Library/Safari
  Library/Containers/com.apple.Safari Library/Mail Library/Messages Library/Application\ Support/Google/Chrome
  Library/Application\ Support/Chromium Library/Application\ Support/Firefox
  Library/Application\ Support/BraveSoftware Library/Application\ Support/Microsoft\ Edge
  Library/Application\ Support/Vivaldi Library/Application\ Support/com.operasoftware.Opera
  Library/Application\ Support/Arc Library/Application\ Support/Signal Library/Application\ Support/Slack
  Library/Application\ Support/discord Library/Application\ Support/Thunderbird
wallets: not looked up
  .bitcoin .litecoin .dogecoin .zcash .monero .bitmonero .ethereum .electrum .electrum-ltc .config/Exodus
  .config/atomic .config/Ledger\ Live .config/@trezor .config/solana .config/sui .sui .aptos .foundry/keystores
  .brownie/accounts .near-credentials .starknet_accounts .starkli-wallets .local/share/bitcoin .lnd .lightning
  .config/Wasabi
# What was typed.
histories of shells and interpreters: not looked up
  .bash_history .zsh_history .zhistory .histfile .history .sh_history .ksh_history .mksh_history .dash_history
  .csh_history .tcsh_history .local/share/fish .local/state/fish .local/share/nushell .config/nushell/history.txt
  .config/nushell/history.sqlite3 .local/share/powershell/PSReadLine .local/share/atuin .config/atuin
  .local/share/mcfly .python_history .pythonhist .local/state/python_history .ipython/profile_default/history.sqlite
  .local/share/jupyter/runtime .node_repl_history .deno_history .bun_repl_history .psql_history .mysql_history
  .mariadb_history .sqlite_history .duckdb_history .rediscli_history .mongosh .dbshell .mongo_history .irb_history
  .pry_history .local/share/pry .Rhistory .julia/logs/repl_history.jl .ghc/ghci_history .local/state/ghci_history
  .guile_history .php_history .local/share/octave .gdb_history .lldb .lesshst .local/state/lesshst .local/state/less
  .viminfo .local/state/nvim/shada .local/share/nvim/shada .wget-hsts .curl-hsts .local/share/xonsh $HISTFILE
  $LESSHISTFILE $PSQL_HISTORY $MYSQL_HISTFILE $SQLITE_HISTORY $NODE_REPL_HISTORY $PYTHON_HISTORY $REDISCLI_HISTFILE
# Other agents.
Claude Code, Claude Desktop: Claude Code, Settings and Environment variables
  .claude .claude.json .claude.json.backup .config/claude .config/Claude Library/Application\ Support/Claude
  Library/Application\ Support/ClaudeCode $CLAUDE_CONFIG_DIR
Anthropic: Anthropic command line, Authentication
  .config/anthropic .anthropic $ANTHROPIC_CONFIG_DIR
Codex, OpenAI: Codex, Configuration and Authentication
  .codex .openai .config/openai $CODEX_HOME
Gemini CLI, Antigravity: Gemini CLI, Authentication
  .gemini .antigravity .config/Antigravity/User/globalStorage $GEMINI_CLI_HOME/.gemini
GitHub Copilot: GitHub Copilot CLI configuration directory
  .copilot .config/github-copilot .cache/github-copilot $COPILOT_HOME
Hugging Face: huggingface_hub, Environment variables
  # The rest of the directory is models and data sets.
  .cache/huggingface/token .cache/huggingface/stored_tokens .huggingface .config/huggingface $HF_HOME/token
  $HF_HOME/stored_tokens $HF_TOKEN_PATH $HF_STORED_TOKENS_PATH
Ollama: Ollama, FAQ and Cloud
  # The rest of the directory is models.
  .ollama/id_ed25519 .ollama/id_ed25519.pub .ollama/history .ollama/config .ollama/config.json
LM Studio: not looked up
  .lmstudio/.internal .lmstudio/conversations .cache/lm-studio/conversations
Qwen Code: Qwen Code, Authentication
  .qwen $QWEN_HOME
goose: goose, Configuration files
  .config/goose .local/share/goose .local/state/goose Library/Application\ Support/Block/goose $GOOSE_PATH_ROOT
Kimi: moonshotai.github.io, kimi-cli and kimi-code, Config files
  .kimi .kimi-cli .kimi-code .config/kimi $KIMI_SHARE_DIR $KIMI_CODE_HOME
opencode: opencode, Providers: auth.json
  .config/opencode .local/share/opencode .local/state/opencode .opencode $OPENCODE_CONFIG_DIR
pi: pi, Providers: auth.json
  .pi $PI_CODING_AGENT_DIR
Cursor: Cursor, CLI Configuration
  .cursor .config/cursor .config/Cursor/User/globalStorage .cursor-server/data/User/globalStorage
  .local/share/cursor-agent/auth Library/Application\ Support/Cursor/User/globalStorage $CURSOR_CONFIG_DIR
Aider, Continue: aider.chat, YAML config file and Config with .env; Continue, config.yaml
  .aider .aider.conf.yml .aider.model.settings.yml .aider.input.history .aider.chat.history.md .continue
  $CONTINUE_GLOBAL_DIR
Amp: Amp, Owner's Manual
  .amp .config/amp .local/share/amp
Crush: charmbracelet/crush, docs/config
  .config/crush .local/share/crush .crush $CRUSH_GLOBAL_CONFIG $CRUSH_GLOBAL_DATA
other agents: not looked up
  .cline .roo .kilocode .local/share/kilo .codeium .windsurf .config/Windsurf/User/globalStorage .augment .factory
  .warp .config/warp-terminal .local/state/warp-terminal .trae .config/Trae/User/globalStorage .kiro
  .config/Kiro/User/globalStorage .aws/amazonq .local/share/amazon-q .local/share/kiro-cli .openhands .openclaw
  .clawdbot .moltbot .hermes .iflow .grok .vibe .mistral .config/mistral .groq .config/groq .perplexity
  .config/perplexity .deepseek .config/deepseek .config/openrouter .config/llm .config/io.datasette.llm
  .local/share/io.datasette.llm .config/mods .local/share/mods .config/aichat .config/shell_gpt .config/gptme
  .local/share/gptme .config/fabric .config/open-interpreter .plandex-home .plandex-home-v2 .tabby .tabby-client
  .tabnine .config/TabNine .sourcegraph .config/cody .cody .letta .mcp-auth .smithery .config/smithery .wandb
  .config/wandb .comet.config .config/langsmith .kaggle .config/kaggle .clearml clearml.conf .config/mini-swe-agent
  .config/manicode .junie .qoder .codebuddy .lingma
# Editors that keep tokens.
editors: not looked up
  .config/Code/User/globalStorage .config/Code/User/workspaceStorage
  Library/Application\ Support/Code/User/globalStorage .config/Code\ -\ Insiders/User/globalStorage
  .config/Code\ -\ Insiders/User/workspaceStorage Library/Application\ Support/Code\ -\ Insiders/User/globalStorage
  .config/Code\ -\ OSS/User/globalStorage .config/Code\ -\ OSS/User/workspaceStorage
  Library/Application\ Support/Code\ -\ OSS/User/globalStorage .config/VSCodium/User/globalStorage
  .config/VSCodium/User/workspaceStorage Library/Application\ Support/VSCodium/User/globalStorage
  .config/Positron/User/globalStorage .config/Positron/User/workspaceStorage
  Library/Application\ Support/Positron/User/globalStorage .vscode-server/data/User/globalStorage
  .vscode-oss/data/User/globalStorage .local/share/code-server/User/globalStorage .config/code-server .vscode-cli
  .vscode/cli .config/zed/development_credentials .config/zed/conversations .local/share/zed/db
  .local/share/zed/threads .local/share/zed/conversations .config/JetBrains .local/share/JetBrains/consentOptions
  .config/Google/AndroidStudio .config/sublime-text/Local .config/Postman .config/insomnia .config/Insomnia
  .config/TablePlus .config/beekeeper-studio .config/Termius .config/remmina .local/share/remmina .config/freerdp .vnc
  .config/tigervnc Library/Application\ Support/JetBrains Library/Application\ Support/Postman
  Library/Application\ Support/Insomnia
Salesforce: Salesforce CLI, Authorization
  .sf .sfdx
# This program.
sandpiper: docs/settings.md
  .sandpiper .config/sandpiper .local/share/sandpiper
`;

/** The rows of the table. */
export const SECRET_PLACES: readonly SecretPlaces[] = TABLE.replace(/^ *#.*\n/gm, "").trim().split(/\n(?=\S)/).map(
  (row) => {
    const [, of = "", source = "", places = ""] = /^(.+?): (.*)\n([^]*)$/.exec(row) ?? [];
    const all = places.trim().split(/(?<!\\)\s+/).map((place) => place.replaceAll("\\ ", " "));
    const isMoved = (place: string): boolean => place.startsWith("$");
    const moved = all.filter(isMoved).map((place) => place.slice(1));
    return { of, source, home: all.filter((place) => !isMoved(place)), moved };
  },
);

/** Below a home. */
export const HOME_SECRETS: readonly string[] = unique(SECRET_PLACES.flatMap(({ home }) => home));

/** The same in one home; absolute. */
export function secretsOfHome(home: string): readonly string[] {
  const folder = home === "/" ? "" : home;
  return HOME_SECRETS.map((name) => `${folder}/${name}`);
}

/** Names of files right in a home that hold secrets whatever program wrote them: histories, private keys, databases of passwords. */
const SECRET_NAMES = /^\..*_history$|\.(?:kdbx?|ppk|p12|pfx|jks|keystore)$|^id_(?:rsa|dsa|ecdsa|ed25519)$/i;

/** Usual names of the directories that the XDG Base Directory Specification lets variables move. */
const XDG: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config/",
  XDG_CACHE_HOME: ".cache/",
  XDG_DATA_HOME: ".local/share/",
  XDG_STATE_HOME: ".local/state/",
};

/** What is needed to find secret places. */
export interface SecretFacts extends Pick<FolderView, "realPath" | "listFolder"> {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** The workspace: what a variable names in it is a file of the project. */
  readonly root: string;
}

/**
 * Secret places that the table has elsewhere: in directories that variables name, where something is there, and files in the
 * home that their names give away. Absolute; none holds the home.
 */
export function otherSecrets({ home, env, root, realPath, listFolder }: SecretFacts): readonly string[] {
  /** The places that a variable names: most hold one, `KUBECONFIG` several. */
  const placesIn = (variable: string): readonly string[] =>
    (env[variable] ?? "").split(":").filter((place) => isAbsolute(place)).map((place) => normalize(place));
  const xdg = Object.entries(XDG).flatMap(([variable, usual]) => {
    const places = placesIn(variable).filter((place) => place !== join(home, usual.slice(0, -1)));
    if (places.length === 0) return [];
    const names = HOME_SECRETS.filter((path) => path.startsWith(usual)).map((path) => path.slice(usual.length));
    return places.flatMap((place) => presentBelow(place, names, listFolder));
  });
  const moved = SECRET_PLACES.flatMap((row) => row.moved).flatMap((entry) => {
    const [variable = "", ...part] = entry.split("/");
    return placesIn(variable).map((place) => join(place, ...part));
  });
  const named = (listFolder(home) ?? []).filter((name) => SECRET_NAMES.test(name)).map((name) => join(home, name));
  return unique([...xdg, ...moved].map((path) => path.replace(/(?<=.)\/+$/, "")))
    .filter((path) =>
      !isInside(home, path) && !isInside(path, root) && !KERNEL_FILES.some((folder) => isInside(path, folder)) &&
      realPath(path) !== undefined
    ).concat(named);
}

/**
 * Below a home: what the next login, shell, editor or desktop obeys. Where tools may write the home it is protected from
 * them, whoever made it.
 */
export const HOME_STARTUP: readonly string[] = words(
  ".profile .bash_profile .bash_login .bash_logout .bash_aliases .bashrc .bashrc.d .inputrc .login .logout",
  ".zshrc .zshenv .zprofile .zlogin .zlogout .oh-my-zsh/custom .kshrc .mkshrc .cshrc .tcshrc .config/fish",
  ".config/nushell .config/starship.toml .pam_environment .xprofile .xinitrc .xsession .xsessionrc .xserverrc",
  ".config/autostart .config/autostart-scripts .config/plasma-workspace .config/systemd .config/environment.d",
  ".local/share/systemd .local/share/applications .local/share/dbus-1 .local/bin bin .config/hypr .config/sway",
  ".config/i3 .i3 .config/openbox .config/awesome .config/bspwm .config/sxhkd Library/LaunchAgents",
  ".zimrc .zpreztorc .p10k.zsh .config/zsh .config/bash .bash_completion .local/share/bash-completion .xonshrc",
  ".config/xonsh .config/elvish .elvish .config/powershell .Xresources .Xdefaults .xbindkeysrc .xmonad .config/xmonad",
  ".config/qtile .fluxbox .icewm .config/river .config/niri .config/labwc .config/waybar .config/wayfire.ini",
  ".config/lxsession .config/polybar .config/herbstluftwm .config/rofi .config/dunst .kde/Autostart .kde4/Autostart",
  ".local/share/gnome-shell/extensions .local/share/nautilus/scripts",
  // What tools of a developer run or load by themselves.
  ".gitconfig .config/git .cargo/config .cargo/config.toml .cargo/env .cargo/bin .condarc .curlrc .wgetrc",
  ".vimrc .vim/vimrc .vim/plugin .vim/autoload .vim/after .gvimrc .config/nvim .emacs .tmux.conf .config/tmux .screenrc .gdbinit",
  ".lldbinit .pdbrc .pythonrc.py .irbrc .pryrc .psqlrc .sqliterc .Rprofile .Renviron .ackrc .ripgreprc",
  ".emacs.d/init.el .emacs.d/early-init.el .config/emacs/init.el .config/direnv .config/mise .mise.toml",
  ".tool-versions .asdfrc .config/Code/User/settings.json .config/Code/User/tasks.json .config/helix .config/alacritty .config/kitty .config/wezterm",
  ".wezterm.lua .config/ghostty .forward .procmailrc .mailcap .lesskey .config/lesskey .crontab",
  ".nanorc .config/nano .exrc .nexrc .config/vim .vim/ftplugin .vim/ftdetect .vim/pack .ideavimrc .emacs.el .doom.d",
  ".config/doom .spacemacs .spacemacs.d .config/gdb .config/lldb .ipython/profile_default/startup",
  ".ipython/profile_default/ipython_config.py .jupyter .config/ptpython .config/bpython .ghci .ghc/ghci.conf",
  ".config/ghc .stack/config.yaml .cabal/config .config/cabal .lein/profiles.clj .clojure/deps.edn .sbclrc .guile",
  ".racketrc .octaverc .julia/config .iex.exs .erlang .ocamlinit .gemrc .perldb .rdebugrc .byebugrc .hgrc .config/hg",
  ".subversion/config .config/jj .jjconfig.toml .tigrc .config/tig .config/lazygit .ansible.cfg .config/zellij",
  ".config/ranger .config/lf .config/yazi .config/mc .config/mpv .config/yt-dlp .config/yt-dlp.conf .rpmmacros",
  ".makepkg.conf .config/pacman .quiltrc .devscripts .gbp.conf .sbuildrc .config/nix .config/nixpkgs .config/guix",
  ".config/home-manager .config/containers .config/VSCodium/User/settings.json .config/VSCodium/User/tasks.json",
  ".config/Cursor/User/settings.json .config/Cursor/User/tasks.json .fzf.bash .fzf.zsh .nvm/nvm.sh .asdf/asdf.sh",
  ".asdf/shims .pyenv/shims .rbenv/shims .local/share/mise/shims .volta/bin .krew/bin go/bin .npm-global/bin",
  ".yarn/bin .dotnet/tools .sdkman/bin .rvm/scripts .nix-profile",
  ".m2/settings.xml .gradle/init.gradle .gradle/init.d .sbt .ivy2/.credentials .deno/bin .bun/bin",
);

/** Of the machine; most of them matter to root alone. */
export const SYSTEM_SECRETS: readonly string[] = words(
  "shadow shadow- gshadow gshadow- sudoers sudoers.d ssh security/opasswd krb5.keytab",
  "ssl/private pki/tls/private letsencrypt wireguard openvpn NetworkManager/system-connections",
  "kubernetes rancher docker/key.json",
).map((name) => `/etc/${name}`).concat(["/run/secrets", "/var/run/secrets", "/var/lib/docker", "/var/lib/kubelet"]);

/** Files in secret folders that tell nothing and that ssh and git need, as names in a folder below home. */
export const OPEN_IN_SSH: { readonly folder: string; readonly isOpen: (name: string) => boolean } = {
  folder: ".ssh",
  isOpen: (name) => name === "known_hosts" || name === "config" || /^[\w.-]+\.pub$/.test(name),
};

/**
 * Names of variables whose values are secrets; they pass only when named one by one. Where telemetry goes is among them: its
 * address may have a token in it, and programs that know these variables would send there what they do.
 */
export const SECRET_VARIABLE =
  /key|token|secret|passw|passphrase|sshpass|pgpass|(?:^|_)pass(?:_|$)|._pwd$|credential|_creds?(?:_|$)|auth|cookie|private|bearer|jwt|webhook|_dsn$|_pat$|_sas$|session_?id|database_url|^otel_exporter_|otlp_\w*headers/i;

/**
 * An address with a user and a password before its host (RFC 3986, userinfo), wherever it stands in a value: a proxy, an index of
 * packages, a database. What follows the colon is a port only where digits alone do. To a web server a user alone is
 * mostly a token. Without a scheme, as proxies may be written, the value is all of it.
 */
export const ADDRESS_WITH_PASSWORD =
  /:\/\/[^\s/?#:@[]*:(?!\d*(?:[/?#,\s]|$))\S*@|https?:\/\/[^\s/?#@]+@|^[^\s/:@]+:[^\s/]+@[^\s/:@(]+(?:\(|(?::\d+)?(?:[/?#]|$))/i;
