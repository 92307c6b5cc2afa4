/**
 * The completion scripts of the shells. A script asks the program for the words, so that one that was saved in a file
 * completes what a newer version has. Where the program knows no word, the shell completes names of files.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** macOS still has bash 3.2, which has no `mapfile`, so the words are read line by line. */
const BASH = `# Completes rowonce in bash. In ~/.bashrc: eval "$(rowonce completion bash)"
_rowonce() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <("\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rowonce rowonce`;

const ZSH = `# Completes rowonce in zsh. In ~/.zshrc, after compinit: eval "$(rowonce completion zsh)"
_rowonce() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _rowonce rowonce`;

const FISH = `# Completes rowonce in fish. In ~/.config/fish/config.fish: rowonce completion fish | source
function __rowonce_words
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($typed[1] completion fish -- $typed[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c rowonce -f -a '(__rowonce_words)'`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
