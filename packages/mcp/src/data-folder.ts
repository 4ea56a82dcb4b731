import { join } from 'node:path'

/** A machine, as far as its folders depend on it. */
export interface DataFolderHost {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The user's folder for data of this program. A chat application starts a server in any folder, often in one that nobody
 * can write.
 */
export function dataFolder({ platform, home, env }: DataFolderHost): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'svc-audio')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'svc-audio')
  const base = env['XDG_DATA_HOME'] ?? ''
  // The specification of these folders says to ignore a relative path.
  return join(base.startsWith('/') ? base : join(home, '.local', 'share'), 'svc-audio')
}
