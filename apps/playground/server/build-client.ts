import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** Builds the page into a folder. A fresh clone needs no separate build, and the browser loads a few small files. */
export async function buildClient(outDir: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL('../client', import.meta.url)),
    configFile: false,
    envDir: false,
    logLevel: 'error',
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The page's content security policy allows data: URLs for images only.
      assetsInlineLimit: 0,
    },
  })
}
