import { parseArgs } from 'node:util'
import { commandLineFault, nearHint } from '#options'
import { UsageError } from './terminal.ts'

/** An option of a command. */
export interface OptionSpec {
  /** What stands for its value in the help, e.g. `DIR`. An option without one is a switch. */
  readonly value?: string
  /** What it does, in a line of the help. */
  readonly about: string
  /** Its values, where they are few. */
  readonly oneOf?: readonly string[]
}

/** A command of the program. */
export interface CommandSpec {
  /** What follows its name in the help, e.g. `FILE…`. */
  readonly takes: string
  /** What it does, in a line of the help. */
  readonly about: string
  /** Lines of the help below the options. */
  readonly notes?: string
  /** Its options by name, without dashes. */
  readonly options: Readonly<Record<string, OptionSpec>>
}

/** Name of a command. */
export type CommandName = 'transcribe' | 'speak' | 'voices' | 'models' | 'completion'

/** Formats of audio that `speak` writes, which are the extensions of `--out`. */
export const AUDIO_FORMATS: readonly ['aac', 'flac', 'mp3', 'opus', 'wav'] = ['aac', 'flac', 'mp3', 'opus', 'wav']

/** Shells that have a completion. */
export const SHELLS: readonly ['bash', 'zsh', 'fish'] = ['bash', 'zsh', 'fish']

/** The commands, in the order of the help. */
export const COMMANDS: Readonly<Record<CommandName, CommandSpec>> = {
  transcribe: {
    takes: 'FILE…',
    about: 'turns recordings, videos, folders or standard input (-) into text',
    options: {
      srt: { about: 'subtitles in SRT' },
      vtt: { about: 'subtitles in WebVTT' },
      json: { about: 'the text with the times of its segments' },
      md: { about: 'minutes in Markdown: a line for each turn, with its time' },
      txt: { about: 'the text alone (the default)' },
      speakers: { about: 'tells who speaks' },
      out: { value: 'DIR', about: 'writes a file for each recording and format into this folder' },
      force: { about: 'replaces files that exist' },
      keyterm: { value: 'WORD', about: 'a name or term that is said; repeat it for several' },
      mic: { about: 'records from the microphone until Enter is pressed' },
    },
    notes: `One result goes to standard output. Several need --out.
FILE may be a pattern such as 'talks/**/*.mp4'. A folder stands for the recordings in it.`,
  },
  speak: {
    takes: 'FILE.md|TEXT|-',
    about: 'speaks a text, a Markdown, HTML or text file, or standard input (-)',
    options: {
      voice: { value: 'ID', about: 'voice that speaks (default joe, else the first voice of the service)' },
      out: { value: 'FILE', about: `audio file: ${AUDIO_FORMATS.join(', ')}; - for WAV on standard output` },
      force: { about: 'replaces a file that exists' },
    },
    notes: 'Without --out it is played on this computer.',
  },
  voices: { takes: '', about: 'lists the voices', options: { json: { about: 'as JSON' } } },
  models: { takes: '', about: 'lists the models', options: { json: { about: 'as JSON' } } },
  completion: {
    takes: SHELLS.join('|'),
    about: 'prints the completion of a shell',
    notes: 'In bash: source <(svc-audio completion bash)',
    options: {},
  },
}

/** Options of a command line, by name. A switch is `true`, an option with a value has all that were given. */
export type OptionValues = ReadonlyMap<string, true | readonly string[]>

/** A command line that was read. */
export type CommandLine =
  | { readonly name: CommandName; readonly positionals: readonly string[]; readonly options: OptionValues }
  | { readonly name: 'help'; readonly about: CommandName | undefined }
  | { readonly name: 'version' }

/**
 * Reads a command line.
 * @throws UsageError naming the command or the option, with the name that was probably meant
 */
export function readCommandLine(args: readonly string[]): CommandLine {
  const [name = 'help', ...rest] = args
  if (name === 'help' || name === '--help' || name === '-h') {
    return { name: 'help', about: rest.find((word): word is CommandName => isCommand(word)) }
  }
  if (name === '--version' || name === '-v') return { name: 'version' }
  if (!isCommand(name)) {
    const hint = nearHint(name, Object.keys(COMMANDS)) || `: use ${Object.keys(COMMANDS).join(', ')}`
    throw new UsageError(`Unknown command ${name}${hint}`)
  }
  const { values, positionals } = parse(name, rest)
  if (values['help'] === true) return { name: 'help', about: name }
  const options = new Map<string, true | readonly string[]>()
  for (const [option, value] of Object.entries(values)) {
    if (value === true) options.set(option, true)
    else if (Array.isArray(value)) options.set(option, value.map(String))
  }
  return { name, positionals, options }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}

function parse(name: CommandName, args: readonly string[]): ReturnType<typeof parseArgs> {
  const specs = Object.entries<OptionSpec>(COMMANDS[name].options)
  const options = Object.fromEntries(
    specs.map(([option, { value }]) =>
      value === undefined
        ? [option, { type: 'boolean' as const }]
        : [option, { type: 'string' as const, multiple: true }],
    ),
  )
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new UsageError(commandLineFault(error, [...specs.map(([option]) => option), 'help']), { cause: error })
  }
}

/** The help text of the program, or of one command. */
export function helpText(about: CommandName | undefined): string {
  if (about !== undefined) return commandHelp(about, COMMANDS[about])
  const lines = Object.entries<CommandSpec>(COMMANDS).map(([name, { takes, about: what }]) => [
    `${name} ${takes}`,
    what,
  ])
  return `Usage: svc-audio COMMAND

${columns(lines)}

svc-audio help COMMAND lists the options of a command.

Environment:
${columns([
  ['SVC_AUDIO_BASE_URL', 'address of a service; without it the bundled engines work in this process'],
  ['SVC_AUDIO_API_KEY', 'key of that service'],
])}
`
}

function commandHelp(name: string, { takes, about, options, notes }: CommandSpec): string {
  const lines = Object.entries(options).map(([option, { value, about: what }]) => [
    value === undefined ? `--${option}` : `--${option} ${value}`,
    what,
  ])
  const parts = [`Usage: svc-audio ${name} ${takes}`.trim(), `${about.charAt(0).toUpperCase()}${about.slice(1)}.`]
  if (lines.length > 0) parts.push(columns(lines))
  if (notes !== undefined) parts.push(notes)
  return `${parts.join('\n\n')}\n`
}

function columns(lines: readonly (readonly string[])[]): string {
  const width = Math.max(...lines.map(([first = '']) => first.length))
  return lines.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}`).join('\n')
}

/** The completion of a shell: commands, their options, and files. */
export function completionScript(shell: (typeof SHELLS)[number]): string {
  const commands = Object.entries<CommandSpec>(COMMANDS)
  if (shell === 'fish') {
    const lines = commands.flatMap(([name, { about, options }]) => [
      `complete -c svc-audio -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
      ...Object.entries(options).map(
        ([option, { value, about: what }]) =>
          `complete -c svc-audio -n '__fish_seen_subcommand_from ${name}' -l ${option}${value === undefined ? '' : ' -r'} -d ${quoted(what)}`,
      ),
    ])
    return `${lines.join('\n')}\n`
  }
  const cases = commands.map(
    ([name, { options }]) =>
      `    ${name}) flags=${quoted(
        Object.keys(options)
          .map((option) => `--${option}`)
          .join(' '),
      )} ;;`,
  )
  // zsh reads the same function through its own bridge to the completions of bash, where `words` is a variable of zsh.
  const bridge = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
  return `${bridge}_svc_audio() {
  local flags=''
  local current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(Object.keys(COMMANDS).join(' '))} -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=() ;;
  esac
}
complete -o default -F _svc_audio svc-audio
`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
