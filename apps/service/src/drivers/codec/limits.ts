/**
 * What the memory of one ffmpeg may grow to, in bytes, beside its program. The largest honest index measured, that of
 * 48 hours of AAC in an MP4 of 512 MB, takes 215 MB; most files take 30.
 */
export const MAX_MEMORY_BYTES: number = 384 * 1024 * 1024

/**
 * How long one ffmpeg may use a processor, in seconds: ten times what a day of audio takes. It ends one that runs in a
 * circle after the service, and with it the clock that watches, is gone.
 */
const MAX_CPU_SECONDS = 3600

/** Addresses, in bytes, for kernels that count nothing but these. Reserved ones count, so it is far above the need. */
const MAX_ADDRESS_BYTES = 2 * 1024 * 1024 * 1024

/** How much of a program the system limits, from all to nothing. */
export type Confinement = 'memory' | 'files' | 'none'

// No core dump, no byte into a file (pipes do not count), no endless loop.
const FILES = `ulimit -c 0 && ulimit -f 0 && ulimit -t ${MAX_CPU_SECONDS}`
const MEMORY = `ulimit -d ${MAX_MEMORY_BYTES / 1024} && ulimit -v ${MAX_ADDRESS_BYTES / 1024}`

/** The limits that may work on this system, the strictest first. macOS takes limits of memory and ignores them. */
export function confinements(platform: string = process.platform): readonly Confinement[] {
  if (platform === 'win32') return ['none']
  return platform === 'linux' ? ['memory', 'files', 'none'] : ['files', 'none']
}

/**
 * How a program is started within limits: by the shell, which sets them and then becomes the program, so that the
 * process id stays. The arguments reach it as they are; the shell reads none of them.
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
