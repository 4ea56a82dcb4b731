import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'vitepress'

export default defineConfig({
  base: '/docs/',
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'narration-player' } } },
  vite: { plugins: [narration({ voice_id: 'rms' })] },
})
