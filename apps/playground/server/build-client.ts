import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** Builds the page into a folder: a bare clone needs no step for it, and the browser gets a few small files. */
export async function buildClient(outDir: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL('../client', import.meta.url)),
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy of the page allows no data: URL but for images.
      assetsInlineLimit: 0,
    },
  })
}
