import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The living children of `parent`, zombies included. */
export async function childPids(parent: number): Promise<number[]> {
  const all = process.platform === 'linux' ? await fromProc() : await fromPs()
  return all.filter(([, ppid]) => ppid === parent).map(([pid]) => pid)
}

/** Whether a process exists, as a zombie too: an ended process is gone only after it is reaped. */
export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function fromProc(): Promise<[number, number][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return await Promise.all(
    pids.map(async (pid): Promise<[number, number]> => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '') // it may have ended in the meantime
      return [Number(pid), Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])]
    }),
  )
}

async function fromPs(): Promise<[number, number][]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  return stdout
    .trim()
    .split('\n')
    .map((line): [number, number] => {
      const [pid, ppid] = line.trim().split(/\s+/)
      return [Number(pid), Number(ppid)]
    })
}
