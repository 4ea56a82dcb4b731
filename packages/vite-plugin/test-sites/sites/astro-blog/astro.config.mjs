import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'astro/config'

export default defineConfig({
  base: '/docs',
  devToolbar: { enabled: false },
  // The tests install the packages in the folder above.
  vite: {
    server: { fs: { allow: ['..'] } },
    plugins: [narration({ voice_id: 'rms', pages: 'src/posts/**/*.{md,mdx}' })],
  },
})
