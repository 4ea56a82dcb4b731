import { commonJs } from '@svc-audio/build'
import { defineConfig } from 'rolldown'

const parts = ['browser', 'hono', 'nestjs', 'node'].map((part) => [`${part}/index`, `dist/${part}/index.js`])

export default defineConfig(commonJs({ entries: { index: 'dist/index.js', ...Object.fromEntries(parts) } }))
