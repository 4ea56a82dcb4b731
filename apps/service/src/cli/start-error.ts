import { FolderInUseError } from '../domain/folder-in-use-error.ts'

/** One line for people about why the service could not start, with the remedy. */
export function describeStartError(error: unknown, where: { readonly host: string; readonly port: number }): string {
  if (error instanceof FolderInUseError) {
    return `${error.message}: stop it, or choose another folder with --data-dir`
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${where.port} on ${where.host} is taken: stop what uses it, or choose another with --port`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where.host} is not an address of this machine: choose another with --host`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Not allowed: ${messageOf(error)}. Choose another --port or --data-dir`
    default:
      return `The service cannot start: ${messageOf(error)}`
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
