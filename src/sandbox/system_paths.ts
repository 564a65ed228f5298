// What ordinary commands need of a machine, found by running them: nothing here holds anybody's secrets, and folders are
// named one by one where a whole one would (`/etc`, a home). Missing paths grant nothing.

/** Programs and libraries: read and execute. */
export const SYSTEM_PROGRAMS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/opt",
  "/nix",
  "/snap/bin",
  "/etc/alternatives",
];

/** Configuration that programs look for: read. */
export const SYSTEM_SETTINGS: readonly string[] = [
  ..."passwd group nsswitch.conf hosts host.conf gai.conf resolv.conf hostname protocols services shells".split(" "),
  ..."localtime timezone locale.alias locale.conf default/locale os-release debian_version lsb-release".split(" "),
  ..."redhat-release alpine-release arch-release machine-id environment".split(" "),
  ..."ssl ca-certificates ca-certificates.conf pki crypto-policies".split(" "),
  ..."ld.so.cache ld.so.conf ld.so.conf.d ld.so.preload ld-musl-x86_64.path ld-musl-aarch64.path".split(" "),
  ..."profile profile.d bash.bashrc bashrc bash_completion.d inputrc skel login.defs".split(" "),
  ..."gitconfig gitattributes npmrc mime.types magic terminfo manpath.config fonts papersize".split(" "),
  ..."python3 java maven gradle perl php R ruby lua vim nanorc less sensible-editor ImageMagick-6".split(" "),
  ..."mke2fs.conf apt/sources.list apt/sources.list.d dpkg debconf.conf".split(" "),
].map((name) => `/etc/${name}`);

/** Versioned names below /etc. */
export const SYSTEM_SETTINGS_PREFIXES: readonly string[] = ["python3.", "java-", "ImageMagick-", "php"];

/** Data of the system: read. */
export const SYSTEM_DATA: readonly string[] = [
  "/var/lib/dpkg",
  "/var/cache/fontconfig",
  "/run/systemd/resolve",
];

/** What the kernel shows about itself: read by processes, never by file tools (R463). */
export const KERNEL_VIEWS: readonly string[] = [
  "/proc",
  "/sys/devices/system",
  "/sys/fs/cgroup",
  "/sys/kernel/mm/transparent_hugepage",
];

/** Devices that hold nothing. No terminal: the user types into it. */
export const DEVICES: readonly string[] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/** Toolchains and settings without secrets below a home: read and execute. */
export const HOME_TOOLCHAINS: readonly string[] = [
  ...".cargo/bin .cargo/registry .cargo/git .cargo/config.toml .cargo/env .rustup go .sdkman .nvm .volta".split(" "),
  ...".pyenv .rbenv .asdf .bun .deno .local/bin .local/lib .local/share/mise .local/share/uv".split(" "),
  ...".local/share/pnpm .local/share/fnm .node-gyp .m2/repository .gradle/caches .gradle/wrapper".split(" "),
  ...".gitconfig .config/git/config .config/git/ignore .config/git/attributes .editorconfig".split(" "),
  ...".profile .bash_profile .bashrc .inputrc .condarc miniconda3 anaconda3 .ghcup .opam .elan .juliaup".split(" "),
];

/** What a grant of the whole disk still leaves out; the pieces that programs need are granted by name above. */
export const NEVER_WITH_ALL: readonly string[] = ["/proc", "/sys", "/dev", "/run"];

/** Shared by all users: never granted for writing as part of something larger. */
export const SHARED_TEMPORARY: readonly string[] = ["/tmp", "/var/tmp", "/dev/shm"];
