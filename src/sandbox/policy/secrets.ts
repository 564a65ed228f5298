// Where secrets live. Read by no tool whatever is allowed, and written by none: a key that is planted is as bad as one that
// is taken.
import { words } from "./scopes.ts";

/** Below a home. */
export const HOME_SECRETS: readonly string[] = [
  ...words(
    // Keys and passwords.
    ".ssh .gnupg .password-store .pki .vault-token .local/share/keyrings .config/op .config/sops .config/age",
    ".netrc .authinfo .pgpass .my.cnf .mylogin.cnf .s3cfg .boto .cups .local/share/kwalletd",
    "Library/Keychains",
    // Clouds and clusters.
    ".aws .azure .oci .config/gcloud .kube .docker .config/containers .config/doctl .config/hcloud",
    ".aliyun",
    ".config/rclone .terraform.d .terraformrc .pulumi .fly .config/heroku .config/netlify .vercel",
    // Package registries and forges.
    ".npmrc .yarnrc .yarnrc.yml .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml",
    ".m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json",
    ".config/composer/auth.json .nuget/NuGet .config/pip .pip .git-credentials .config/git/credentials",
    ".config/gh .config/glab-cli .config/hub .config/hub-token",
    // Browsers and mail, those among the Flatpaks with them.
    ".mozilla .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge",
    ".config/vivaldi .thunderbird snap/firefox snap/chromium .config/Signal .config/Slack .config/discord",
    ".config/opera",
    ".var/app",
    "Library/Cookies Library/Safari Library/Containers/com.apple.Safari",
  ),
  ...["Google/Chrome", "Chromium", "Firefox", "BraveSoftware", "Microsoft Edge", "Vivaldi", "com.operasoftware.Opera"]
    .map((name) => `Library/Application Support/${name}`),
  ...words(
    // What was typed.
    ".bash_history .zsh_history .local/share/fish .python_history .node_repl_history .psql_history",
    ".mysql_history .sqlite_history .rediscli_history .irb_history .lesshst .viminfo .wget-hsts",
    // Other agents, editors that keep tokens, and this program.
    ".claude .claude.json .codex .gemini .cursor .continue .aider .config/github-copilot .config/opencode",
    ".local/share/opencode .pi .sf .sandpiper .config/sandpiper .local/share/sandpiper",
  ),
];

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
  // What tools of a developer run or load by themselves.
  ".gitconfig .config/git .cargo/config .cargo/config.toml .cargo/env .cargo/bin .condarc .curlrc .wgetrc",
  ".vimrc .vim/vimrc .vim/plugin .vim/autoload .vim/after .gvimrc .config/nvim .emacs .tmux.conf .config/tmux .screenrc .gdbinit",
  ".lldbinit .pdbrc .pythonrc.py .irbrc .pryrc .psqlrc .sqliterc .Rprofile .Renviron .ackrc .ripgreprc",
  ".emacs.d/init.el .emacs.d/early-init.el .config/emacs/init.el .config/direnv .config/mise .mise.toml",
  ".tool-versions .asdfrc .config/Code/User/settings.json .config/Code/User/tasks.json .config/helix .config/alacritty .config/kitty .config/wezterm",
  ".wezterm.lua .config/ghostty .forward .procmailrc .mailcap .lesskey .config/lesskey .crontab",
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
  /key|token|secret|passw|credential|auth|cookie|private|_dsn$|_pat$|session_?id|database_url|^otel_exporter_|otlp_\w*headers/i;

/**
 * An address with a user and a password before its host (RFC 3986, userinfo), wherever it stands in a value: a proxy, an index of
 * packages, a database. What follows the colon is a port only where digits alone do. To a web server a user alone is
 * mostly a token. Without a scheme, as proxies may be written, the value is all of it.
 */
export const ADDRESS_WITH_PASSWORD =
  /:\/\/[^\s/?#:@[]*:(?!\d*(?:[/?#,\s]|$))\S*@|https?:\/\/[^\s/?#@]+@|^[^\s/:@]+:[^\s/]+@[^\s/:@(]+(?:\(|(?::\d+)?(?:[/?#]|$))/i;
