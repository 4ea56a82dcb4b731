/** Node flags of `pnpm service` and the container. */
export const SERVICE_FLAGS: readonly string[] = ['--max-semi-space-size=2', '--no-parallel-scavenge']
