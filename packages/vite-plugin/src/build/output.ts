import type { ResolvedConfig } from 'vite'

/** Prints a line. Lines about costs are printed at every log level but `silent`. */
export type Say = (line: string, isCost: boolean) => void

/** Shows a line in the place of the one that it has shown before. An empty line removes it. */
export type Paint = (line: string) => void

/** Where a build prints. */
export interface Output {
  readonly say: Say
  /** `undefined` where no line can be replaced: in a file, in CI, or with the logger of a framework. */
  readonly paint: Paint | undefined
}

/** Moves to the start of the line, and removes it. */
const CLEAR = '\r\u001B[K'
/** Width of a terminal that does not tell it. */
const COLUMNS = 80

/** Whether the terminal shows a line that the next one shall replace. A process has one terminal. */
let isPainted = false

/**
 * The output of a build. Some frameworks log warnings only: lines about costs are printed at the lowest level that the
 * logger prints.
 */
export function outputOf({
  logger,
  logLevel = 'info',
  customLogger,
}: Pick<ResolvedConfig, 'logger' | 'logLevel' | 'customLogger'>): Output {
  const say: Say = (line, isCost) => {
    clearPainted()
    if (!isCost || logLevel === 'info') logger.info(line)
    else if (logLevel === 'warn') logger.warn(line)
    else if (logLevel === 'error') logger.error(line)
  }
  const { CI = '', TERM } = process.env
  // Vite itself rewrites lines under the same conditions.
  const isTerminal = process.stdout.isTTY && CI === '' && TERM !== 'dumb'
  return { say, paint: isTerminal && logLevel === 'info' && customLogger === undefined ? paint : undefined }
}

/** Removes a line that the next one would replace: another line follows. */
export function clearPainted(): void {
  if (isPainted) process.stdout.write(CLEAR)
  isPainted = false
}

function paint(line: string): void {
  // A line that wraps cannot be removed.
  const shown = line.slice(0, (process.stdout.columns || COLUMNS) - 1)
  if (shown === '') clearPainted()
  else {
    process.stdout.write(CLEAR + shown)
    isPainted = true
  }
}
