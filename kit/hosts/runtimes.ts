/** The packages of npm that bring the binaries of other runtimes, with the path of each binary. */
export interface Runtimes {
  readonly bun: readonly [name: string, path: string]
  readonly deno: readonly [name: string, path: string]
  readonly workerd: readonly [name: string, path: string]
}

const BY_PLATFORM: Readonly<Record<string, readonly [bun: string, deno: string, workerd: string]>> = {
  'linux-x64': ['linux-x64', 'linux-x64-glibc', 'linux-64'],
  'linux-arm64': ['linux-aarch64', 'linux-arm64-glibc', 'linux-arm64'],
  'darwin-arm64': ['darwin-aarch64', 'darwin-arm64', 'darwin-arm64'],
}

/**
 * The runtimes besides Node, for the dependencies of a clean project.
 * @throws Error where a runtime has no package for this machine
 */
export function runtimes(): Runtimes {
  const names = BY_PLATFORM[`${process.platform}-${process.arch}`]
  if (names === undefined) throw new Error(`No runtimes for ${process.platform} on ${process.arch}`)
  const [bun, deno, workerd] = names
  return {
    bun: [`@oven/bun-${bun}`, 'bin/bun'],
    deno: [`@deno/${deno}`, 'deno'],
    workerd: [`@cloudflare/workerd-${workerd}`, 'bin/workerd'],
  }
}

/** Versions of the packages of {@link runtimes}. */
export const RUNTIME_VERSIONS = { bun: '1.4.5', deno: '2.9.6', workerd: '1.20261117.1' } as const
