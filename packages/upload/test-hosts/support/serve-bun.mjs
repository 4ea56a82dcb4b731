import process from 'node:process'
import { createRoutes } from './routes.mjs'

Bun.serve({ port: Number(process.env.PORT), hostname: '127.0.0.1', fetch: createRoutes({}) })
