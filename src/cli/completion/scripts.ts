// What a shell has to be told once: it asks the program for every word. `completions words` answers with a line each: the word,
// a tab, what it means; `:files` or `:folders` last where paths fit as well.

/** Shells that can be told. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** A shell that can be told. */
export type Shell = (typeof SHELLS)[number];

/** The script of a shell for a program of this name, which is a command of the shell's PATH. */
export function completionScript(shell: Shell, name: string): string {
  return SCRIPTS[shell].replaceAll("NAME", name);
}

// Bash takes words apart at `=` and `:`; what stands before the last piece is taken off what comes back. It quotes what fits
// only where that is said to be a file's name; a name that somebody chose must not become a command.
const BASH = `# bash completion of NAME: eval "$(NAME completions bash)"
_NAME_complete() {
  local line word cur="\${COMP_WORDS[COMP_CWORD]}" whole="" i paths=
  local -a words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((\${#words[@]} > 0)) && [[ $whole == *[=:] || $word == [=:]* ]] && [[ \${COMP_LINE} == *"$whole$word"* ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    whole="\${words[\${#words[@]}-1]}"
  done
  [[ $cur == [=:] ]] && cur=""
  local cut=$((\${#whole} - \${#cur}))
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) paths=1; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur"); compopt -o filenames ;;
      :folders) paths=1; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur"); compopt -o filenames ;;
      *) COMPREPLY+=("\${line:cut}") ;;
    esac
  done < <(NAME completions words -- "\${words[@]}" 2>/dev/null | cut -f1)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace
  [[ $paths ]] || for i in "\${!COMPREPLY[@]}"; do printf -v "COMPREPLY[i]" %q "\${COMPREPLY[i]}"; done
  return 0
}
complete -F _NAME_complete NAME
`;

const ZSH = `#compdef NAME
# zsh completion of NAME: eval "$(NAME completions zsh)", or this file as _NAME in a folder of $fpath
_NAME() {
  local line
  local -a found
  local paths=
  for line in "\${(@f)$(NAME completions words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      (:files) paths=files ;;
      (:folders) paths=folders ;;
      (*$'\\t'*) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      (?*) found+=("\${line//:/\\\\:}") ;;
    esac
  done
  ((\${#found})) && _describe NAME found
  [[ $paths == files ]] && _files
  [[ $paths == folders ]] && _files -/
  return 0
}
if [[ \${funcstack[1]} == _NAME ]]; then _NAME "$@"; else compdef _NAME NAME; fi
`;

const FISH = `# fish completion of NAME: NAME completions fish | source
function __NAME_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (NAME completions words -- $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c NAME -f -a '(__NAME_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
