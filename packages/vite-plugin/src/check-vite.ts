import { ConfigurationError } from '@svc-audio/core'
import * as vite from 'vite'

const OLDEST = [6, 3] as const

/**
 * Checks that the host is a Vite this plugin works with.
 * @param config The host's config. A site may have a second Vite, as VitePress 1 brings its own.
 * @throws ConfigurationError naming the version
 */
export function checkVite(config?: object): void {
  const [major = 0, minor = 0] = vite.version.split('.').map(Number)
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
  // Environments came with Vite 6.
  const hostIsOld = config !== undefined && !('environments' in config)
  if (!isOld && !hostIsOld) return
  const found = isOld ? `this is Vite ${vite.version}` : 'this site runs on Vite 5 or older'
  throw new ConfigurationError(
    `@svc-audio/vite-plugin needs Vite ${OLDEST.join('.')} or later, and ${found}. VitePress 1 brings Vite 5: use VitePress 2`,
  )
}
