import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** Builds the page into a folder. A fresh clone needs no separate build, and the browser loads a few small files. */
export async function buildClient(outDir: string): Promise<void> {
  const { NODE_ENV: environment } = process.env
  // Vite reads it here only. Another value would select React's development build, which is twice as large.
  process.env['NODE_ENV'] = 'production'
  try {
    await buildPage(outDir)
  } finally {
    if (environment === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = environment
  }
}

async function buildPage(outDir: string): Promise<void> {
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
