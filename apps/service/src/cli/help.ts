import type { CommandSpec } from './command-spec.ts'
import { COMMANDS } from './commands/index.ts'
import { listSettings } from './settings.ts'

/** Returns the `--help` text: the commands and every setting, or one command with its options. */
export function helpText(about?: CommandSpec): string {
  return about === undefined ? overview() : commandHelp(about)
}

function overview(): string {
  const commands = [['', 'serves'], ...COMMANDS.map((spec) => [headOf(spec), spec.meaning])]
  const settings = listSettings().map(({ flag, variable, fallback, meaning }) => {
    const names = flag === undefined ? variable : `${flag} <…>, ${variable}`
    return `  ${names}\n      ${meaning.replaceAll('`', '')} (default: ${fallback})`
  })
  return `svc-audio-service: speech and transcription on your own machine

Usage: svc-audio-service [command] [options]
       svc-audio-service <command> --help

Commands, which all but the first also work beside a running service:
${columns(commands)}

Settings, each as an option, an environment variable, or a name in the configuration file:
${settings.join('\n')}
  --config <file>, SVC_AUDIO_CONFIG
      JSON file of settings by the names above without dashes; options and variables win (default: none)
  --help
      shows this
  --version
      shows the version
`
}

function commandHelp(spec: CommandSpec): string {
  const flags = spec.flags ?? []
  const options = flags.map(({ name, value = '', meaning }) => [`--${name} ${value}`.trim(), meaning])
  const end = 'It takes every setting too: svc-audio-service --help shows them.'
  return [
    `Usage: svc-audio-service ${headOf(spec)}${flags.length === 0 ? '' : ' [options]'}`,
    `${spec.name}: ${spec.meaning}.${spec.details === undefined ? '' : `\n${spec.details}`}`,
    ...(options.length === 0 ? [] : [`Options:\n${columns(options)}`]),
    `${end}\n`,
  ].join('\n\n')
}

/** The command with its arguments. */
function headOf({ name, usage }: CommandSpec): string {
  return usage === undefined ? name : `${name} ${usage}`
}

/** Aligns the second column of lines. */
function columns(lines: readonly (readonly string[])[]): string {
  const width = Math.max(...lines.map(([first = '']) => first.length))
  return lines.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}`).join('\n')
}
