"""Calls of the OpenAI API by the Python libraries that voice programs use. Prints one JSON line for each call.

Arguments: the name of a client, the base URL, a key, a WAV file with its text beside it.
"""
import asyncio
import importlib.metadata
import io
import json
import sys
import wave

CLIENT, BASE, KEY, WAV = sys.argv[1:5]
SAID = open(WAV + ".txt").read().split()[:2]
TEXT = "Good morning. Your order is ready."


def tell(call, result):
    print(json.dumps({"client": CLIENT, "call": call, **result}), flush=True)


def attempt(call, run):
    try:
        value = run()
        tell(call, {"ok": value is True, "detail": "" if value is True else repr(value)[:200]})
    except Exception as error:
        tell(call, {"ok": False, "detail": f"{type(error).__name__}: {error}"[:300]})


def heard(text):
    return True if all(word.lower() in text.lower() for word in SAID) else text


def pcm(rate):
    with wave.open(WAV) as file:
        frames, own = file.readframes(file.getnframes()), file.getframerate()
    if own == rate:
        return frames
    import audioop

    return audioop.ratecv(frames, 2, 1, own, rate, None)[0]


def openai_calls():
    import openai

    client = openai.OpenAI(base_url=BASE, api_key=KEY, max_retries=0)
    speech = lambda **more: client.audio.speech.create(model="tts-1", voice="alloy", input=TEXT, **more)
    hear = lambda **more: client.audio.transcriptions.create(model="whisper-1", file=open(WAV, "rb"), **more)
    for format in ("mp3", "opus", "aac", "flac", "wav", "pcm"):
        attempt(f"speech {format}", lambda: len(speech(response_format=format).content) > 1000)
    attempt("speech, read by wave", lambda: wave.open(io.BytesIO(speech(response_format="wav").content)).getnchannels() == 1)
    attempt("speech events", lambda: "speech.audio.done" in speech(stream_format="sse").text)

    def streamed():
        with client.audio.speech.with_streaming_response.create(model="tts-1", voice="nova", input=TEXT) as response:
            return sum(len(part) for part in response.iter_bytes()) > 1000

    attempt("speech streamed", streamed)
    attempt("speech of an emoji", lambda: len(client.audio.speech.create(model="tts-1", voice="alloy", input="😀").content) > 50)
    attempt("transcription json", lambda: heard(hear().text))
    attempt("transcription text", lambda: heard(hear(response_format="text")))
    attempt("transcription srt", lambda: "-->" in hear(response_format="srt"))
    attempt("transcription vtt", lambda: hear(response_format="vtt").startswith("WEBVTT"))
    attempt("transcription verbose_json", lambda: hear(response_format="verbose_json", timestamp_granularities=["word", "segment"]).segments[0].text.startswith(" "))
    attempt("transcription diarized_json", lambda: len(client.audio.transcriptions.create(model="gpt-4o-transcribe-diarize", file=open(WAV, "rb"), response_format="diarized_json", chunking_strategy="auto").segments) > 0)
    attempt("transcription with every hint", lambda: heard(hear(language="en", prompt="Names: Ann.", temperature=0.2).text))
    attempt("transcription streamed", lambda: [event.type for event in hear(stream=True)][-1] == "transcript.text.done")
    attempt("transcription streamed as srt", lambda: any("-->" in getattr(event, "delta", "") for event in hear(stream=True, response_format="srt")))
    attempt("models", lambda: "whisper-1" in [model.id for model in client.models.list()])
    attempt("one model", lambda: client.models.retrieve("tts-1").id == "tts-1")

    def refused(call, kind):
        try:
            call()
        except kind:
            return True
        return "no error"

    attempt("error 400", lambda: refused(lambda: speech(speed=9), openai.BadRequestError))
    attempt("error 401", lambda: refused(lambda: openai.OpenAI(base_url=BASE, api_key="wrong").models.list(), openai.AuthenticationError))
    attempt("error 404", lambda: refused(lambda: client.models.retrieve("none"), openai.NotFoundError))
    attempt("translation is refused", lambda: refused(lambda: client.audio.translations.create(model="whisper-1", file=open(WAV, "rb")), openai.BadRequestError))

    async def at_once():
        many = openai.AsyncOpenAI(base_url=BASE, api_key=KEY)
        calls = [many.audio.speech.create(model="tts-1", voice="alloy", input=f"Sentence number {i}.") for i in range(40)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        return [repr(one) for one in results if isinstance(one, Exception)] or True

    attempt("40 calls at once at a limit of 4", lambda: asyncio.run(at_once()))

    async def realtime():
        import base64

        live = openai.AsyncOpenAI(base_url=BASE, api_key=KEY)
        async with live.realtime.connect(extra_query={"intent": "transcription"}) as connection:
            await connection.send({"type": "session.update", "session": {"type": "transcription", "audio": {"input": {"format": {"type": "audio/pcm", "rate": 24000}, "turn_detection": {"type": "server_vad"}}}}})
            sound = pcm(24000) + bytes(48000 * 2)
            for at in range(0, len(sound), 4800):
                await connection.send({"type": "input_audio_buffer.append", "audio": base64.b64encode(sound[at : at + 4800]).decode()})
            async for event in connection:
                if event.type == "error":
                    return event
                if event.type.endswith("transcription.completed"):
                    return heard(event.transcript)

    attempt("realtime transcription", lambda: asyncio.run(asyncio.wait_for(realtime(), 60)))


def litellm_calls():
    import litellm

    common = {"api_base": BASE, "api_key": KEY}
    attempt("speech", lambda: len(litellm.speech(model="openai/tts-1", voice="alloy", input=TEXT, **common).content) > 1000)
    attempt("transcription", lambda: heard(litellm.transcription(model="openai/whisper-1", file=open(WAV, "rb"), **common).text))
    attempt("transcription verbose_json", lambda: heard(litellm.transcription(model="openai/whisper-1", file=open(WAV, "rb"), response_format="verbose_json", **common).text))


def livekit_calls():
    import aiohttp
    from livekit import rtc
    from livekit.agents import stt as kinds
    from livekit.agents.utils import http_context
    from livekit.plugins import openai

    async def speech(format):
        tts = openai.TTS(model="tts-1", voice="alloy", base_url=BASE, api_key=KEY, response_format=format)
        return sum([len(part.frame.data) async for part in tts.synthesize(TEXT)]) > 1000

    async def once():
        stt = openai.STT(model="whisper-1", base_url=BASE, api_key=KEY)
        sound = pcm(24000)
        event = await stt.recognize(rtc.AudioFrame(sound, 24000, 1, len(sound) // 2))
        return heard(event.alternatives[0].text)

    async def live():
        async with aiohttp.ClientSession() as session:
            stt = openai.STT(model="gpt-4o-transcribe", base_url=BASE, api_key=KEY, use_realtime=True)
            stt._session = session
            stream = stt.stream()
            sound = pcm(24000) + bytes(48000 * 2)
            for at in range(0, len(sound), 4800):
                piece = sound[at : at + 4800]
                stream.push_frame(rtc.AudioFrame(piece, 24000, 1, len(piece) // 2))
            async for event in stream:
                if event.type == kinds.SpeechEventType.FINAL_TRANSCRIPT:
                    text = event.alternatives[0].text
                    await stream.aclose()
                    return heard(text)

    for format in ("mp3", "pcm", "wav"):
        attempt(f"TTS {format}", lambda: asyncio.run(speech(format)))
    attempt("STT", lambda: asyncio.run(once()))
    attempt("STT realtime", lambda: asyncio.run(asyncio.wait_for(live(), 60)))


def pipecat_calls():
    from pipecat.frames.frames import EndFrame, InputAudioRawFrame, StartFrame, TranscriptionFrame, TTSAudioRawFrame, TTSSpeakFrame, VADUserStartedSpeakingFrame, VADUserStoppedSpeakingFrame
    from pipecat.services.openai.stt import OpenAIRealtimeSTTService, OpenAISTTService
    from pipecat.services.openai.tts import OpenAITTSService
    from pipecat.tests.utils import SleepFrame, run_test

    async def speech():
        tts = OpenAITTSService(base_url=BASE, api_key=KEY, settings=OpenAITTSService.Settings(model="tts-1", voice="alloy"))
        frames, _ = await run_test(tts, frames_to_send=[TTSSpeakFrame(TEXT), SleepFrame(10)])
        return sum(len(frame.audio) for frame in frames if isinstance(frame, TTSAudioRawFrame)) > 1000

    def sound():
        data = pcm(16000)
        return [InputAudioRawFrame(audio=data[at : at + 640], sample_rate=16000, num_channels=1) for at in range(0, len(data), 640)]

    async def hear(service, wait):
        sent = [SleepFrame(2), VADUserStartedSpeakingFrame(), *sound(), VADUserStoppedSpeakingFrame(), SleepFrame(wait)]
        frames, _ = await run_test(service, frames_to_send=sent)
        return heard(" ".join(frame.text for frame in frames if isinstance(frame, TranscriptionFrame)))

    attempt("TTS", lambda: asyncio.run(speech()))
    attempt("STT", lambda: asyncio.run(hear(OpenAISTTService(base_url=BASE, api_key=KEY, settings=OpenAISTTService.Settings(model="whisper-1")), 60)))
    url = BASE.replace("http", "ws", 1) + "/realtime"
    attempt("STT realtime", lambda: asyncio.run(hear(OpenAIRealtimeSTTService(base_url=url, api_key=KEY, settings=OpenAIRealtimeSTTService.Settings(model="gpt-4o-transcribe")), 60)))


def wyoming_calls():
    from wyoming_openai.compatibility import CustomAsyncOpenAI, OpenAIBackend

    for backend in OpenAIBackend:

        async def voices():
            client = CustomAsyncOpenAI(base_url=BASE, api_key="", backend=backend)
            found = await client.list_supported_voices(["tts-1"], [], ["en"])
            speaking = CustomAsyncOpenAI(base_url=BASE, api_key=KEY, backend=backend)
            name = found[0].name
            response = await speaking.audio.speech.create(model="tts-1", voice=name, input=TEXT, response_format="wav")
            return True if isinstance(name, str) and len(response.content) > 1000 else repr(name)

        attempt(f"{backend.name}: voices and speech", lambda: asyncio.run(voices()))


CALLS = {"openai": openai_calls, "litellm": litellm_calls, "livekit-plugins-openai": livekit_calls, "pipecat-ai": pipecat_calls, "wyoming-openai": wyoming_calls}
CALLS[CLIENT]()
