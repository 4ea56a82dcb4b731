import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'astro/config'

export default defineConfig({
  base: '/docs',
  devToolbar: { enabled: false },
  vite: { plugins: [narration({ voice_id: 'rms' })] },
})
