import { createRoutes } from './routes.mjs'

let routes
export default {
  async fetch(request, env) {
    routes ??= createRoutes({ apiKey: env.SVC_AUDIO_API_KEY, baseUrl: env.SVC_AUDIO_BASE_URL })
    return routes(request)
  },
}
