import { parseArgs } from 'node:util'
import { readPort } from '../server/options.ts'
import { UsageError } from '../server/usage-error.ts'

/** What the demo does. */
export interface DemoOptions {
  /** What is spoken, where no recording is given. */
  readonly text: string
  /** A recording to transcribe instead. */
  readonly file: string | undefined
  /** Folder for the audio that is made. */
  readonly out: string
  /** Port of the service; 0 takes a free one. */
  readonly port: number
}

/** What `--help` prints. */
export const HELP = `Speaks a paragraph, transcribes what was spoken, and compares.

Usage: npx -y pnpm@12 demo [options]

  --text "…"            speak this instead of the default paragraph
  --file recording.wav  transcribe this recording instead of speaking
  --out folder          where the audio goes                (default svc-audio-demo)
  --port number         port of the service it starts       (default a free one)
  --help                shows this
`

const DEFAULT_TEXT =
  'The old clock on the wall had stopped many years ago. Nobody in the house could remember when. ' +
  'Every morning the children walked past it on their way to school, and every evening they came home again. ' +
  'Then one day the clock began to move, and everyone stopped to listen.'

/**
 * Options from the command line; `undefined` when help was asked for.
 * @throws UsageError naming the option
 */
export function readOptions(args: readonly string[]): DemoOptions | undefined {
  const values = parse(args)
  if (values.help === true) return undefined
  if (values.text !== undefined && values.text.trim() === '')
    throw new UsageError('--text is empty: give it some words')
  if (values.text !== undefined && values.file !== undefined) {
    throw new UsageError('--text and --file exclude each other: speak a text, or transcribe a recording')
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
  try {
    const options = { text, file: text, out: text, port: text, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} (see --help)`, { cause: error })
  }
}
