import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/**
 * Starts Chromium from `PLAYWRIGHT_CHROMIUM`, else Debian's Chromium.
 * @param flags Further flags of the command line.
 * @throws Error naming the Debian package if there is no Chromium
 */
export async function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
  if (!existsSync(executablePath))
    throw new Error(`Install Chromium: apt-get install chromium. Not found: ${executablePath}`)
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] })
}
