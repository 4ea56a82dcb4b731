import { join } from 'node:path'
import { build } from 'vite'

/** A measured build of a site whose audio is static files. */
export async function run({ root }: { root: string }): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { assetsInlineLimit: 0, reportCompressedSize: false, rollupOptions: { input: join(root, 'main.js') } },
  })
}
