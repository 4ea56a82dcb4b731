import type { WriteStream } from 'node:tty'

/** Shows what is going on: one line a step, rewritten while it works where the output is a terminal. */
export interface Progress {
  /** Runs a step under a label. `update` shows how far it is; the returned text is its outcome. */
  step(label: string, run: (update: (status: string) => void) => Promise<string>): Promise<void>
}

const LABEL_WIDTH = 12

/** Progress on a terminal or, line by line, into a pipe. */
export function createProgress(output: WriteStream | NodeJS.WritableStream): Progress {
  const terminal = 'isTTY' in output && output.isTTY
  return {
    async step(label, run) {
      const rewrite = (mark: string, status: string): void => {
        if (terminal) output.write(`\r\u001B[K${line(mark, label, status)}`)
      }
      rewrite('·', '…')
      if (!terminal) output.write(`${line('·', label, '…')}\n`)
      try {
        const outcome = await run((status) => rewrite('·', status))
        if (terminal) rewrite('✓', `${outcome}\n`)
        else output.write(`${line('✓', label, outcome)}\n`)
      } catch (error) {
        if (terminal) rewrite('✗', '\n')
        throw error
      }
    },
  }
}

function line(mark: string, label: string, status: string): string {
  return `${mark} ${label.padEnd(LABEL_WIDTH)} ${status}`.trimEnd()
}
