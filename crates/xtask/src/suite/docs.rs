//! Runs the Lua examples of the README and of `docs/`.
//!
//! Every block marked `lua` is a whole program. What follows the word `lua`:
//!
//! - nothing: runs on every interpreter, must end with status 0 and an empty
//!   standard error;
//! - header lines as tests have them, separated by `;`:
//!   `lua needs: lua>=5.4; load: lanes.v2`;
//! - `lua,norun` and the reason: is not run.
//!
//! A block marked `output` after it, or one marked `text` with nothing but
//! blank lines between, is what it must print. A comment `<!-- lua: CODE -->`
//! before it is put in front of it and spares readers the preliminaries.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::header::Header;
use super::script::{Expect, Script};
use crate::project;

/// An example as it stands in a document.
#[derive(Debug, Default, PartialEq)]
struct Block {
    line: usize,
    /// What stands after the word `lua`.
    info: String,
    code: String,
    output: Option<String>,
}

/// The examples of all documents whose names contain `only`.
pub(crate) fn collect(only: Option<&str>) -> Result<Vec<Script>> {
    let root = project::root();
    let dir = root.join("target/doc-tests");
    std::fs::create_dir_all(&dir)?;
    let mut files = vec![root.join("README.md")];
    files.extend(project::files_below(&root.join("docs"), "md")?);
    let mut scripts = Vec::new();
    let (mut found, mut compared) = (0, 0);
    for file in &files {
        let document = project::relative(file);
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {document}"))?;
        for block in blocks(&text) {
            let name = format!("{document}:{}", block.line);
            if only.is_some_and(|part| !name.contains(part)) {
                continue;
            }
            found += 1;
            compared += usize::from(block.output.is_some());
            scripts.extend(script(&dir, name, block)?);
        }
    }
    if found > 0 {
        println!(
            "documents: {found} Lua blocks, {compared} with their output, {} not to be run",
            found - scripts.len()
        );
    }
    Ok(scripts)
}

/// None for a block that is not to be run.
fn script(dir: &Path, name: String, block: Block) -> Result<Option<Script>> {
    let header = match header(&block.info) {
        Ok(None) => return Ok(None),
        Ok(Some(header)) => Ok(header),
        Err(error) => Err(error),
    };
    let path = dir.join(format!("{}.lua", name.replace(['/', '\\', ':'], "-")));
    std::fs::write(&path, &block.code)?;
    let expect = block
        .output
        .map_or(Expect::Any, |text| Expect::Output(text.into_bytes()));
    Ok(Some(Script {
        name,
        path,
        expect,
        header,
    }))
}

fn header(info: &str) -> Result<Option<Header>> {
    if let Some(reason) = info.strip_prefix(",norun") {
        if reason.trim().is_empty() {
            bail!("`norun` without a reason");
        }
        return Ok(None);
    }
    let mut header = Header {
        args: vec![Vec::new()],
        ..Header::default()
    };
    for item in info
        .split(';')
        .map(str::trim)
        .filter(|item| !item.is_empty())
    {
        let (key, value) = item
            .split_once(':')
            .with_context(|| format!("`{item}` is not `key: value`"))?;
        header.set(key.trim(), value.trim())?;
    }
    Ok(Some(header))
}

/// Finds the examples in a document.
fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut prelude = String::new();
    let mut adjacent = false; // nothing but blank lines since the last example
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let trimmed = line.trim_start();
        if let Some(comment) = trimmed.strip_prefix("<!-- lua:") {
            prelude = comment.trim_end().trim_end_matches("-->").trim().to_owned();
        } else if let Some((fence, info)) = fence(trimmed) {
            let indent = line.len() - trimmed.len();
            let mut body = String::new();
            for (_, line) in lines.by_ref() {
                if line.trim_start().starts_with(fence)
                    && line.trim().chars().all(|c| fence.starts_with(c))
                {
                    break;
                }
                let spaces = line.len() - line.trim_start().len();
                body.push_str(&line[spaces.min(indent)..]);
                body.push('\n');
            }
            let is_lua = info
                .strip_prefix("lua")
                .filter(|rest| rest.is_empty() || rest.starts_with([' ', ',']));
            if let Some(rest) = is_lua {
                let code = if prelude.is_empty() {
                    body
                } else {
                    format!("{prelude} {body}")
                };
                found.push(Block {
                    line: index + 1,
                    info: rest.to_owned(),
                    code,
                    output: None,
                });
                prelude.clear();
                adjacent = true;
                continue;
            }
            if let Some(last) = found.last_mut()
                && last.output.is_none()
                && (info == "output" || (info == "text" && adjacent))
            {
                last.output = Some(body);
            }
            adjacent = false;
        } else if !trimmed.is_empty() {
            adjacent = false;
        }
    }
    found
}

/// The fence's marks, and the info string after it.
fn fence(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|c| *c == '`' || *c == '~')?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= 3).then(|| (&line[..length], rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_outputs() {
        let text = "# T\n```lua\nprint(1)\n```\n\n```text\n1\n```\n```text\nnot mine\n```\n\
                    - item\n  ```lua needs: luajit\n  if x then\n    y()\n  end\n  ```\nprints:\n```output\n2\n```\n\
                    <!-- lua: local a = 1 -->\n````lua\nprint(a) --[[\n```\n]]\n````\nwords\n```text\nno\n```\n\
                    ```luau\nno\n```\n```sh\nlua x\n```\n";
        let found = blocks(text);
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].line, found[0].code.as_str()), (2, "print(1)\n"));
        assert_eq!(found[0].output.as_deref(), Some("1\n"));
        assert_eq!(found[1].code, "if x then\n  y()\nend\n");
        assert_eq!(
            (found[1].info.as_str(), found[1].output.as_deref()),
            (" needs: luajit", Some("2\n"))
        );
        assert_eq!(found[2].code, "local a = 1 print(a) --[[\n```\n]]\n");
        assert_eq!(found[2].output, None);
    }

    #[test]
    fn info_strings() {
        assert!(header("").unwrap().is_some());
        assert!(header(",norun needs two machines").unwrap().is_none());
        assert!(header(",norun").is_err());
        assert!(header(" needs: moon").is_err());
        let header = header(" needs: linux; load: lanes.v2").unwrap().unwrap();
        assert_eq!(header.load, ["lanes.v2"]);
        assert_eq!(header.args.len(), 1);
    }
}
