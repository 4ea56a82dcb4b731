import mdx from '@mdx-js/rollup'
import { narration } from '@svc-audio/vite-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/docs/',
  plugins: [{ enforce: 'pre', ...mdx() }, react(), narration({ voice_id: 'rms' })],
})
