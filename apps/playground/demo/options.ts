import { parseArgs } from 'node:util'
import { commandLineFault } from '@svc-audio/options'
import { readPort, UsageError } from '../server/options.ts'

/** Options of the demo. */
export interface DemoOptions {
  /** Text to speak. Unused with `file`. */
  readonly text: string
  /** A recording to transcribe instead. */
  readonly file: string | undefined
  /** Folder for the audio files. */
  readonly out: string
  /** Port of the service. 0 selects a free port. */
  readonly port: number
}

/** What `--help` prints. */
export const HELP = `Speaks a paragraph, transcribes the audio, and compares the texts.

Usage: npx -y pnpm@12 demo [options]

  --text "…"            speak this text
  --file recording.wav  transcribe this recording instead of speaking
  --out folder          folder for the audio        (default svc-audio-demo)
  --port number         port of the local service   (default a free port)
  --help                print this help
`

const DEFAULT_TEXT =
  'The old clock on the wall had stopped many years ago. Nobody in the house could remember when. ' +
  'Every morning the children walked past it on their way to school, and every evening they came home again. ' +
  'Then one day the clock began to move, and everyone stopped to listen.'

/**
 * Reads the command line.
 *
 * @returns The options; `undefined` for `--help`.
 * @throws UsageError naming the option
 */
export function readOptions(args: readonly string[]): DemoOptions | undefined {
  const values = parse(args)
  if (values.help === true) return undefined
  if (values.text !== undefined && values.text.trim() === '')
    throw new UsageError('--text is empty: give it a sentence')
  if (values.text !== undefined && values.file !== undefined) {
    throw new UsageError('--text and --file exclude each other: give one of them')
  }
  return {
    text: values.text ?? DEFAULT_TEXT,
    file: values.file,
    out: values.out ?? 'svc-audio-demo',
    port: readPort(values.port ?? '0'),
  }
}

interface Values {
  readonly text?: string
  readonly file?: string
  readonly out?: string
  readonly port?: string
  readonly help?: boolean
}

function parse(args: readonly string[]): Values {
  const text = { type: 'string' } as const
  const options = { text, file: text, out: text, port: text, help: { type: 'boolean', short: 'h' } } as const
  try {
    // `pnpm demo -- --text …` passes the separator on.
    return parseArgs({ args: args[0] === '--' ? args.slice(1) : [...args], options }).values
  } catch (error) {
    throw new UsageError(`${commandLineFault(error, Object.keys(options))} (see --help)`, { cause: error })
  }
}
