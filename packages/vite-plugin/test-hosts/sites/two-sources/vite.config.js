import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [narration({ voice_id: 'rms' })] })
