import { narration } from '@svc-audio/vite-plugin'

export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  app: { baseURL: '/docs/' },
  vite: { plugins: [narration({ voice_id: 'rms' })] },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === 'narration-player' } },
})
