/** What `pnpm service` and the container give Node for the service. */
export const SERVICE_FLAGS: readonly string[] = ['--max-semi-space-size=4']
