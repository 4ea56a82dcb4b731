import type { WriteStream } from 'node:tty'

/** Shows the progress: one line per step. A terminal shows updates in place. */
export interface Progress {
  /** Runs a step. `update` shows its progress. The returned text is its outcome. */
  step(label: string, run: (update: (status: string) => void) => Promise<string>): Promise<void>
}

const LABEL_WIDTH = 12

/** Creates the progress for a terminal, or line by line for a pipe. */
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
        rewrite('✓', outcome)
        output.write(terminal ? '\n' : `${line('✓', label, outcome)}\n`)
      } catch (error) {
        rewrite('✗', '')
        if (terminal) output.write('\n')
        throw error
      }
    },
  }
}

function line(mark: string, label: string, status: string): string {
  return `${mark} ${label.padEnd(LABEL_WIDTH)} ${status}`.trimEnd()
}
