//! The Messages API on the loopback, as far as a client needs it to go through a session: what the model answers is
//! written down beforehand, and what it would have seen is kept. Nothing here knows what a test is about.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// An answer of the model.
pub enum Step {
    Says(&'static str),
    /// Calls to tools: name and input.
    Uses(Vec<(&'static str, Value)>),
}

/// What the model answers in a conversation whose first message has this text, turn by turn; then it is done.
pub type Script = Vec<(&'static str, Vec<Step>)>;

pub struct Api {
    port: u16,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Api {
    /// Listens until the test ends.
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let api = Self { port: listener.local_addr().unwrap().port(), requests: Arc::default() };
        let (requests, script) = (Arc::clone(&api.requests), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (requests, script) = (Arc::clone(&requests), Arc::clone(&script));
                // a client that goes away is no matter
                std::thread::spawn(move || answer(&stream, &script, &requests));
            }
        });
        api
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The bodies of the requests for an answer so far.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(stream: &TcpStream, script: &Script, requests: &Mutex<Vec<Value>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let target = line.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: Option<Value> = serde_json::from_slice(&body).ok();
    let Some(request) = request.filter(|_| target.starts_with("/v1/messages") && !target.contains("count_tokens")) else {
        return reply(stream, "application/json", &json!({ "input_tokens": 10 }).to_string());
    };
    let number = {
        let mut all = requests.lock().unwrap();
        all.push(request.clone());
        all.len()
    };
    let (content, stop) = next(script, &request, number);
    let message = |content: Value, stop: Option<&str>| {
        let usage =
            json!({ "input_tokens": 100, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 });
        json!({ "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": request["model"],
            "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage })
    };
    if request["stream"] != true {
        return reply(stream, "application/json", &message(json!(content), Some(stop)).to_string());
    }
    let mut events = vec![json!({ "type": "message_start", "message": message(json!([]), None) })];
    for (index, block) in content.iter().enumerate() {
        let (mut start, delta) = (
            block.clone(),
            match block["type"].as_str()? {
                "text" => json!({ "type": "text_delta", "text": block["text"] }),
                _ => json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() }),
            },
        );
        let rest = if block["type"] == "text" { "text" } else { "input" };
        start[rest] = if rest == "text" { json!("") } else { json!({}) };
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let ended = json!({ "stop_reason": stop, "stop_sequence": null });
    events.push(json!({ "type": "message_delta", "delta": ended, "usage": { "output_tokens": 20 } }));
    events.push(json!({ "type": "message_stop" }));
    let lines = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()));
    reply(stream, "text/event-stream", &lines.collect::<String>())
}

fn reply(mut stream: &TcpStream, kind: &str, body: &str) -> Option<()> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

/// The blocks of the next answer, and why it stops.
fn next(script: &Script, request: &Value, number: usize) -> (Vec<Value>, &'static str) {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = messages.iter().find(|message| message["role"] == "user").map(|message| message["content"].to_string());
    let first = first.unwrap_or_default();
    let turn = messages.iter().filter(|message| message["role"] == "assistant").count();
    let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let steps = script.iter().find(|(text, _)| first.contains(text)).map(|(_, steps)| steps).filter(|_| has_tools);
    match steps.and_then(|steps| steps.get(turn)) {
        Some(Step::Uses(tools)) => {
            let uses = tools.iter().enumerate().map(|(at, (name, input))| {
                json!({ "type": "tool_use", "id": format!("toolu_{number}_{at}"), "name": name, "input": input })
            });
            (uses.collect(), "tool_use")
        }
        Some(Step::Says(text)) => (vec![json!({ "type": "text", "text": text })], "end_turn"),
        None => (vec![json!({ "type": "text", "text": "Done." })], "end_turn"),
    }
}
