import { readFile } from 'node:fs/promises'

/** Peak memory of a process in MB, as Linux counts it, sampled repeatedly. */
export class MemoryPeak {
  megabytes = 0
  readonly #timer: NodeJS.Timeout

  /** @param pid The current process. It may change, and need not exist yet. */
  constructor(pid: () => number | undefined) {
    this.#timer = setInterval(() => void this.#look(pid()), 5)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #look(pid: number | undefined): Promise<void> {
    this.megabytes = Math.max(this.megabytes, await peakMegabytes(pid))
  }
}

/** Peak memory of a process so far in MB, as Linux counts it: 0 for a process that has ended, and elsewhere. */
export async function peakMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}
