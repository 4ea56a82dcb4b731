import type { DownloadProgress } from './download.ts'

/** Least time between two lines, in milliseconds. A terminal overwrites its line more often. */
const LINE_MS = 5000
const TERMINAL_MS = 200

/** Prints how far a download is: on a terminal in one line, elsewhere as a line now and then. */
export function progressLine(
  output: Pick<NodeJS.WritableStream, 'write'> & { readonly isTTY?: boolean },
  now: () => number = Date.now,
): (progress: DownloadProgress) => void {
  const isTerminal = output.isTTY === true
  let next = 0
  return ({ received, total }) => {
    const isEnd = received === total
    if (now() < next && !isEnd) return
    next = now() + (isTerminal ? TERMINAL_MS : LINE_MS)
    const share = total === undefined || total === 0 ? '' : `, ${Math.floor((100 * received) / total)} %`
    const of = total === undefined ? '' : ` of ${(total / 1e6).toFixed(1)}`
    const text = `${(received / 1e6).toFixed(1)}${of} MB${share}`
    output.write(isTerminal ? `\r\u001B[K${text}${isEnd ? '\n' : ''}` : `${text}\n`)
  }
}
