import { reactRouter } from '@react-router/dev/vite'
import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/docs/',
  plugins: [narration({ voice_id: 'rms' }), reactRouter()],
})
