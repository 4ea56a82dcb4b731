import { licenses } from '@svc-audio/kit/build'
import { defineConfig } from 'rolldown'

export default defineConfig({
  input: 'src/index.ts',
  platform: 'neutral',
  resolve: { mainFields: ['module', 'main'] },
  plugins: [licenses()],
  output: { dir: 'dist', format: 'esm' },
})
