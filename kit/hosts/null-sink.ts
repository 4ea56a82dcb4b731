import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A sound server without a loudspeaker. */
export interface NullSink {
  /** Environment of programs that play into it. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Milliseconds until its socket must be there. */
const START_TIMEOUT = 20_000

/**
 * Starts PulseAudio with a sink that plays to nobody. On a machine without a sound device, Firefox starts no `AudioContext`,
 * and audio that plays fails.
 * @throws Error when PulseAudio does not start: install it (Debian: apt-get install pulseaudio)
 */
export async function startNullSink(): Promise<NullSink> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-sound-'))
  const socket = join(folder, 'socket')
  const modules = ['module-null-sink', `module-native-protocol-unix socket=${socket} auth-anonymous=1`]
  const env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, PULSE_RUNTIME_PATH: folder }
  const child = spawn(
    'pulseaudio',
    [
      '-n',
      '--daemonize=no',
      '--use-pid-file=no',
      '--exit-idle-time=-1',
      ...modules.map((module) => `--load=${module}`),
    ],
    { env, stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  // A program that is not installed.
  child.on('error', () => {})
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.kill()) await ended
    await rm(folder, { recursive: true, force: true })
  }
  const end = performance.now() + START_TIMEOUT
  while (!(await exists(socket))) {
    if (performance.now() > end || child.pid === undefined || child.exitCode !== null) {
      await close()
      throw new Error('PulseAudio does not start. Install it (Debian: apt-get install pulseaudio)')
    }
    await setTimeout(50)
  }
  return { env: { PULSE_SERVER: `unix:${socket}` }, close }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
