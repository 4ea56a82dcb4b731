import { fileURLToPath } from 'node:url'
import { commonJs, licenses } from '@svc-audio/kit/build'
import { defineConfig } from 'rolldown'

const parts = ['browser', 'hono', 'nestjs', 'node'].map((part) => [`${part}/index`, `dist/${part}/index.js`])

export default defineConfig([
  {
    // Pages without a bundler load this file alone.
    input: { 'browser/index': 'src/browser/index.ts' },
    resolve: { alias: { '#options': fileURLToPath(import.meta.resolve('../../kit/options/src/index.ts')) } },
    platform: 'browser',
    tsconfig: false,
    plugins: [licenses()],
    output: { dir: 'dist', format: 'esm' },
  },
  commonJs({ entries: { index: 'dist/index.js', ...Object.fromEntries(parts) } }),
])
