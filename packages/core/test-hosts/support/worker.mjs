// The jobs in a Worker.
import { runJobs } from './jobs.mjs'

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url)
    return Response.json(await runJobs({ apiKey: searchParams.get('key'), baseUrl: searchParams.get('url') }))
  },
}
