import { readFileSync } from 'node:fs'
import { type CommandName, completionScript, helpText, type OptionValues, readCommandLine, SHELLS } from './commands.ts'
import { speak } from './speak.ts'
import { UsageError } from './terminal.ts'
import { FORMATS, type Surroundings, transcribe } from './transcribe.ts'

/**
 * Runs a command line.
 * @param args What follows the name of the program.
 * @returns the exit code: 0, or 1 if a part of the work failed
 * @throws UsageError for a command line that cannot be carried out as it stands
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const line = readCommandLine(args)
  const { stdout } = surroundings.terminal
  if (line.name === 'help' || line.name === 'version') {
    stdout.write(line.name === 'help' ? helpText(line.about) : `svc-audio ${programVersion()}\n`)
    return 0
  }
  const { name, positionals, options } = line
  const has = (option: string): boolean => options.has(option)
  if (name === 'transcribe') {
    return transcribe(
      {
        files: positionals,
        formats: FORMATS.filter(has),
        speakers: has('speakers'),
        out: one(options, 'out'),
        force: has('force'),
        keyterms: all(options, 'keyterm'),
        mic: has('mic'),
      },
      surroundings,
    )
  }
  if (name === 'speak') {
    const target = { voice: one(options, 'voice'), out: one(options, 'out'), force: has('force') }
    return speak({ words: positionals, ...target }, surroundings)
  }
  if (name === 'completion') {
    const shell = SHELLS.find((known) => known === positionals[0])
    if (shell === undefined || positionals.length > 1) throw new UsageError(`Name a shell: ${SHELLS.join(', ')}`)
    stdout.write(completionScript(shell))
    return 0
  }
  if (positionals.length > 0) throw new UsageError(`${name} takes no ${positionals.join(' ')}`)
  await list(name, has('json'), surroundings)
  return 0
}

/** @throws UsageError for an option without a value */
function all(options: OptionValues, name: string): readonly string[] {
  const value = options.get(name)
  if (value === undefined || value === true) return []
  if (value.some((text) => text.trim() === '')) throw new UsageError(`--${name} has no value`)
  return value
}

/** @throws UsageError for an option that is given twice, or without a value */
function one(options: OptionValues, name: string): string | undefined {
  const [first, second] = all(options, name)
  if (second !== undefined) throw new UsageError(`--${name} is given twice`)
  return first
}

async function list(
  name: Exclude<CommandName, 'completion'>,
  json: boolean,
  { open, signal, terminal }: Surroundings,
): Promise<void> {
  await using audio = await open()
  const entries: object[] = []
  const lines: string[][] = []
  if (name === 'models') {
    const { data } = await audio.client.models.list({ signal })
    entries.push(...data)
    lines.push(...data.map(({ id, owned_by }) => [id, owned_by]))
  } else {
    for await (const voice of audio.client.voices.list({}, { signal })) {
      entries.push(voice)
      const { id, name: called, language = '', gender = '', description = '' } = voice
      lines.push([id, called, language, gender, description])
    }
  }
  terminal.stdout.write(json ? `${JSON.stringify(entries, undefined, 2)}\n` : table(lines))
}

function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function programVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
}
