import { useEffect } from 'react'
import post from './post.md?narrate'

export default function Post() {
  useEffect(() => {
    void import('@svc-audio/vite-plugin/player')
  }, [])
  return (
    <main>
      <narration-player
        src={post.src}
        captions={post.captions}
        duration={post.durationSeconds}
        for="post"
        label="Post"
      />
      <article id="post">
        <h1>The harbour</h1>
        <p>The boat leaves at nine.</p>
        <p>It takes about an hour.</p>
      </article>
    </main>
  )
}
