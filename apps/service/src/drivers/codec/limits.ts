/**
 * Memory limit of one ffmpeg, in bytes, without its program. The largest genuine index measured takes 215 MB: 48 hours
 * of AAC in an MP4 of 512 MB. Most files take 30.
 */
export const MAX_MEMORY_BYTES: number = 384 * 1024 * 1024

/**
 * Processor time limit of one ffmpeg, in seconds: ten times the time for a day of audio. It ends an endless loop when
 * the service, and with it the {@link BusyClock}, has died.
 */
const MAX_CPU_SECONDS = 3600

/**
 * Address space in bytes, for kernels that limit nothing else. Reserved addresses count, so it is far above the need.
 */
const MAX_ADDRESS_BYTES = 2 * 1024 * 1024 * 1024

/** How much of a program the system limits, from everything to nothing. */
export type Confinement = 'memory' | 'files' | 'none'

// No core dump, no byte into a file (pipes do not count), no endless loop.
const FILES = `ulimit -c 0 && ulimit -f 0 && ulimit -t ${MAX_CPU_SECONDS}`
const MEMORY = `ulimit -d ${MAX_MEMORY_BYTES / 1024} && ulimit -v ${MAX_ADDRESS_BYTES / 1024}`

/** The limits that may work on this system, the strictest first. macOS accepts limits of memory and ignores them. */
export function confinements(platform: string = process.platform): readonly Confinement[] {
  if (platform === 'win32') return ['none']
  return platform === 'linux' ? ['memory', 'files', 'none'] : ['files', 'none']
}

/**
 * Builds the command that starts a program within limits. The shell sets the limits and then becomes the program, so
 * the process id stays. The shell passes the arguments on without reading them.
 */
export function confined(
  confinement: Confinement,
  program: string,
  args: readonly string[],
): readonly [program: string, args: readonly string[]] {
  if (confinement === 'none') return [program, args]
  const limits = confinement === 'memory' ? `${FILES} && ${MEMORY}` : FILES
  return ['/bin/sh', ['-c', `${limits} && exec "$0" "$@"`, program, ...args]]
}
