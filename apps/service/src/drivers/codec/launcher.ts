import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { constants, setPriority, tmpdir } from 'node:os'

/** One run of ffmpeg. */
export interface LaunchRequest {
  readonly args: readonly string[]
  /** The absolute path of the file that `args` names by {@link Launcher.inputUrl}. */
  readonly inputFile?: string
}

/** A way to run ffmpeg as a child process. Both take the same arguments. */
export interface Launcher {
  readonly kind: 'system' | 'wasm'
  /** What is run, for diagnostics: a program or a package. */
  readonly program: string
  readonly version: string
  /** Audio encoders that are compiled in, as `ffmpeg -encoders` calls them. */
  readonly encoders: ReadonlySet<string>
  /** What one process may take up, in bytes; `undefined` where the system does not limit it. */
  readonly memoryBytes: number | undefined
  /** How ffmpeg's arguments name a file on this machine. */
  inputUrl(path: string): string
  /**
   * Starts ffmpeg with pipes for its standard input, output and error. A program that cannot be started reports so by
   * the child's `error` event.
   */
  launch(request: LaunchRequest): ChildProcessWithoutNullStreams
  /** Ends processes stored in reserve. Running ones belong to who launched them. */
  close(): Promise<void>
}

/**
 * The only environment variables a child gets: none that carries a secret, none (`NODE_OPTIONS`, `FFREPORT`, proxies)
 * that changes what it does.
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env
  return { ...(PATH !== undefined && { PATH }), ...(SystemRoot !== undefined && { SystemRoot }) }
}

/**
 * Starts a program with pipes for its standard input, output and error. A failure to start, and a pipe that breaks
 * because the program ended early, never become uncaught errors: how the child ended tells all.
 *
 * @throws Error when there is no file descriptor left for the pipes.
 */
export function spawnPiped(program: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(program, args, { cwd: tmpdir(), env: childEnvironment(), stdio: 'pipe', windowsHide: true })
  child.on('error', () => undefined)
  for (const pipe of [child.stdin, child.stdout, child.stderr]) {
    // Without descriptors Node makes no pipes at all, whatever its types say.
    if ((pipe as typeof pipe | undefined) === undefined)
      throw new Error('ffmpeg cannot be started: too many open files')
    pipe.on('error', () => undefined)
  }
  return child
}

/** Lets everything else have the processor first. Where that is not allowed, nothing changes. */
export function stepBack({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // it has ended already, or the system forbids it
  }
}
