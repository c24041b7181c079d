"""Random documents for the core: small clusters in which every feature and every error of the allocator comes up.

All of chance comes from one `Random`, so that hypothesis can make a document that shows a difference smaller.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

Plain = dict[str, Any]
T = TypeVar("T")

DRIVERS = ("a.example.com", "b.example.com")
NODES = ("n1", "n2", "n3")
ATTRIBUTES = ("model", "numa", "other.example.com/x", "a.example.com/model", "list")
SELECTORS = (
    'device.driver == "a.example.com"',
    'device.attributes["a.example.com"].model == "m1"',
    'device.attributes["a.example.com"].?model.orValue("") == "m1"',
    "has(device.attributes['a.example.com'].numa) && device.attributes['a.example.com'].numa > 0",
    'device.capacity["a.example.com"].?bw.orValue(quantity("0")).compareTo(quantity("3")) >= 0',
    "device.allowMultipleAllocations",
    "!device.allowMultipleAllocations",
    '"model" in device.attributes["a.example.com"]',
    "device.nope",
    "1 / 0 == 1",
    'device.attributes["a.example.com"].model.size() > 0 && device.attributes["other.example.com"].?x.orValue("y") == "y"',
    "true",
    "false",
)
DERIVED = (
    "device.driver",
    'device.attributes["a.example.com"].?numa.orValue(0)',
    'device.attributes["a.example.com"].model',
    'device.attributes["a.example.com"].?model.orValue("none")',
    'has(device.attributes["a.example.com"].model)',
    '[device.attributes["a.example.com"].?model.orValue("none"), "m1"]',
    'semver("1.0.0")',
    "device.attributes",
    "1.5",
    "[]",
    "device.nope",
)
"""Derived attributes; the last ones fail or are nothing."""
CALM = (SELECTORS[0], SELECTORS[2], SELECTORS[3], "true")
"""Selectors that fail on no device."""
QUANTITIES = (
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "8",
    "1500m",
    "1Ki",
    "2k",
    "100u",
    "10P",
    "0.5",
    "2.5",
    "1e3",
    "1024",
    "-1",
    "3Gi",
    "9223372036854775807",
    "100E",
)
GATES = (
    "AdminAccess",
    "PrioritizedList",
    "PartitionableDevices",
    "DeviceTaints",
    "DeviceBindingAndStatus",
    "ConsumableCapacity",
    "FractionalCapacityRange",
    "ListTypeAttributes",
    "OptionalNodeOperations",
    "CompatibilityGroups",
    "DerivedAttributes",
)


class Clusters:
    """Makes documents. What a document is about (capacities, counters, ...) is drawn first, so that features meet often enough."""

    def __init__(self, random: Random) -> None:
        """Take where chance comes from."""
        self.random = random
        self.calm = False
        self.about = {
            name
            for name in ("capacity", "counters", "taints", "constraints", "odd", "binding", "places", "lists", "derived")
            if self.often(0.35)
        }
        self.devices: list[tuple[str, str, str]] = []
        self.calm = self.often(0.6)
        """Nothing seldom happens, so that most claims can be allocated."""

    def often(self, probability: float) -> bool:
        """Whether something is so."""
        drawn = self.random.random() < probability
        return probability > 0.5 if self.calm and not 0.11 < probability < 0.9 else drawn

    def one(self, some: Sequence[T]) -> T:
        """One of some."""
        return some[self.random.randrange(len(some))]

    def number(self, most: int, least: int = 1) -> int:
        """A small number."""
        return self.random.randint(least, most)

    def document(self) -> Plain:
        """A question of mode allocate."""
        found: Plain = {"slices": self.slices(), "classes": self.classes()}
        nodes = [self.node(name) for name in NODES[: self.number(3)]]
        found |= {"node": nodes[0]} if len(nodes) == 1 else {"nodes": nodes}
        if self.often(0.6):
            found["allocated"] = [self.allocated(number) for number in range(self.number(3))]
        if self.often(0.15):
            found["allocatedState"] = self.state()
        if "taints" in self.about and self.often(0.5):
            found["taintRules"] = [self.rule(number) for number in range(self.number(3))]
        chosen = self.features()
        if chosen:
            found["features"] = chosen
        if self.often(0.02):
            found["allocator"] = self.one(("incubating", "experimental"))
        if self.often(0.05):
            found["noDefaults"] = True
        if self.often(0.25):
            found["steps"] = [self.step(number) for number in range(self.number(4))]
        else:
            found["claims"] = self.claims("c")
        return found

    def features(self) -> dict[str, bool]:
        """What is not as in 1.37; what the document is about is on, as a rule."""
        found = {self.one(GATES): self.often(0.7) for _ in range(self.number(3))} if self.often(0.3) else {}
        if self.often(0.12):  # the stable allocator
            return {"ConsumableCapacity": False, "DeviceBindingAndStatus": False}
        if "lists" in self.about:
            found["ListTypeAttributes"] = self.often(0.8)
        if "counters" in self.about and self.often(0.3):
            found["CompatibilityGroups"] = True
        if "derived" in self.about:
            self.about.add("constraints")
            found["DerivedAttributes"] = True
        return found

    def step(self, number: int) -> Plain:
        """One allocation of several."""
        found: Plain = {"claims": self.claims(f"s{number}-")}
        if number and self.often(0.3):
            found["release"] = [f"ns/s{number - 1}-0"]
        for key in ("allNodes", "dryRun"):
            if self.often(0.15):
                found[key] = True
        return found

    def node(self, name: str) -> Plain:
        """A node with a zone."""
        found: Plain = {"metadata": {"name": name, "labels": {"zone": self.one(("a", "b")), "size": self.one(("1", "5", "x"))}}}
        if self.often(0.5):
            found["status"] = {"declaredFeatures": ["DRAOptionalNodeOperations"]}
        return found

    def classes(self) -> list[Plain]:
        """Classes of which one names a driver and one has configurations."""
        return [
            {"metadata": {"name": "any"}, "spec": {}},
            {
                "metadata": {"name": "gpu"},
                "spec": {"selectors": self.selectors(0.9), "config": [self.config() for _ in range(self.number(2))]},
            },
        ]

    def config(self) -> Plain:
        """A driver's configuration."""
        return {"opaque": {"driver": self.one(DRIVERS), "parameters": {"n": self.number(9)}}}

    def selectors(self, probability: float) -> list[Plain]:
        """No, one or two selectors; seldom one that fails."""
        found: list[Plain] = []
        while self.often(probability) and len(found) < 2:
            text = self.one(CALM if self.calm else SELECTORS[:8]) if self.often(0.9) else self.one(SELECTORS)
            found.append({"cel": {"expression": text}} if self.often(0.99) else {})
        return found

    def slices(self) -> list[Plain]:
        """The slices of some pools, shuffled."""
        found: list[Plain] = []
        for driver in DRIVERS[: self.number(2)]:
            for pool in ("p1", "p2", "p10")[: self.number(2 + self.often(0.2))]:
                found += self.pool(driver, pool, len(found))
        self.random.shuffle(found)
        return found

    def pool(self, driver: str, pool: str, first: int) -> list[Plain]:
        """A pool, mostly complete."""
        generation, place = self.number(3), self.place()
        slices = [self.device_slice(driver, pool, place) for _ in range(self.number(2))]
        if "counters" in self.about and self.often(0.8):
            spec = {"sharedCounters": self.counter_sets(), **(place if self.often(0.8) else self.place())}
            slices.append(spec)
        found = []
        for number, spec in enumerate(slices):
            told = len(slices) if self.often(0.96) else self.number(4)
            newer = self.often(0.03)
            name = f"s{first + number}" if self.often(0.98) else "s0"
            pool_spec = {"name": pool, "generation": generation + newer, "resourceSliceCount": told}
            found.append({"metadata": {"name": name}, "spec": {"driver": driver, "pool": pool_spec, **spec}})
        return found

    def place(self) -> Plain:
        """For which nodes something is."""
        if "places" not in self.about:
            return {"nodeName": "n1"} if self.often(0.6) else {"allNodes": True}
        places: list[Plain] = [
            {"nodeName": self.one(NODES)},
            {"nodeName": "n1"},
            {"allNodes": True},
            {"nodeSelector": self.node_selector()},
            {"perDeviceNodeSelection": True},
            {"nodeName": ""} if self.often(0.1) else {"allNodes": True},
            {} if self.often(0.1) else {"nodeName": "n1"},
        ]
        return self.one(places)

    def node_selector(self) -> Plain:
        """Mostly of one term."""
        term: Plain = {"matchExpressions": [self.requirement() for _ in range(self.number(2))]}
        if self.often(0.3):
            term["matchFields"] = [{"key": "metadata.name", "operator": self.one(("In", "NotIn")), "values": [self.one(NODES)]}]
        return {"nodeSelectorTerms": [term] * (1 + self.often(0.05))}

    def requirement(self) -> Plain:
        """An expression on the nodes' labels; seldom one that nobody can parse."""
        if self.often(0.03):
            return self.one(
                [
                    {"key": "zone", "operator": "Bogus", "values": ["a"]},
                    {"key": "zone", "operator": "In"},
                    {"key": "-", "operator": "Exists"},
                    {"key": "size", "operator": "Gt", "values": ["x", "-y"]},
                    {"key": "zone", "operator": "Exists", "values": ["a"]},
                ]
            )
        return self.one(
            [
                {"key": "zone", "operator": "In", "values": ["a"] + ["b"] * self.often(0.5)},
                {"key": "zone", "operator": "NotIn", "values": ["b"]},
                {"key": "zone", "operator": "Exists"},
                {"key": "gone", "operator": "DoesNotExist"},
                {"key": "size", "operator": self.one(("Gt", "Lt")), "values": ["3"]},
            ]
        )

    def device_slice(self, driver: str, pool: str, place: Plain) -> Plain:
        """Devices for the nodes of the place."""
        own = place if self.often(0.8) else self.place()
        spec: Plain = {
            "devices": [self.device(driver, pool, bool(own.get("perDeviceNodeSelection"))) for _ in range(self.number(4))],
            **own,
        }
        if "odd" in self.about and self.often(0.2):
            spec["skipNodeOperations"] = ["All"]
        return spec

    def device(self, driver: str, pool: str, placed: bool) -> Plain:
        """A device with some of everything."""
        name = f"d{len(self.devices)}" if self.often(0.98) else "d0"
        self.devices.append((driver, pool, name))
        found: Plain = {
            "name": name,
            "attributes": {key: self.attribute(key) for key in ATTRIBUTES if self.often(0.7 if key != "list" else 0.2)},
        }
        if "a.example.com/model" in found["attributes"] and self.often(0.9):
            del found["attributes"]["a.example.com/model"]
        if "capacity" in self.about:
            found["capacity"] = {key: self.capacity() for key in ("bw", "mem") if self.often(0.7)}
            found["allowMultipleAllocations"] = self.often(0.6)
        if "counters" in self.about and self.often(0.7):
            found["consumesCounters"] = [self.consumption(name) for name in ("x", "y")[: self.number(2)]]
        if "taints" in self.about and self.often(0.4):
            found["taints"] = [self.taint() for _ in range(self.number(2))]
        if "binding" in self.about and self.often(0.4):
            found |= {
                "bindingConditions": ["ready"] * self.often(0.9),
                "bindingFailureConditions": ["broken"],
                "bindsToNode": self.often(0.5),
            }
        if placed:
            places: list[Plain] = [{"nodeName": self.one(NODES)}, {"allNodes": True}, {"nodeSelector": self.node_selector()}, {}]
            found |= self.one(places)
        return found

    def attribute(self, key: str) -> Plain:
        """A value, as a rule of the attribute's usual kind."""
        if key == "list" or ("lists" in self.about and self.often(0.5)):
            return self.one(
                [
                    {"strings": [self.one(("m1", "m2", "m3")) for _ in range(self.number(2))]},
                    {"ints": [self.number(3) for _ in range(self.number(2))]},
                    {"versions": [self.one(("1.0.0", "2.0.0"))]},
                    {"bools": [self.often(0.5)]},
                ]
            )
        if self.often(0.05):
            usual: list[Plain] = [{"bool": self.often(0.5)}, {"int": self.number(2)}, {"version": self.one(("1.0.0", "1.0.0+b"))}]
            return self.one([*usual, {"version": "1"}, {}] if self.often(0.1) else usual)
        return {"int": self.number(2, 0)} if key == "numa" else {"string": self.one(("m1", "m2"))}

    def quantity(self) -> str:
        """A quantity; odd ones are seldom."""
        return self.one(QUANTITIES) if self.often(0.08) else self.one(QUANTITIES[:8])

    def capacity(self) -> Plain:
        """An amount, and often a policy."""
        found: Plain = {"value": self.quantity()}
        if self.often(0.5):
            policy: Plain = {"default": self.quantity()} if self.often(0.8) else {}
            if self.often(0.5):
                policy["validValues"] = sorted(self.quantity() for _ in range(self.number(3)))
            if self.often(0.5):
                policy["validRange"] = {key: self.quantity() for key in ("min", "max", "step") if self.often(0.7 if key != "min" else 0.97)}
                if policy["validRange"].get("step") == "0" and self.often(0.9):
                    policy["validRange"]["step"] = "1"
            found["requestPolicy"] = policy
        return found

    def counter_sets(self) -> list[Plain]:
        """Two sets of counters, seldom one."""
        names = ["x", "y"] if self.often(0.97) else ["x", self.one(("x", "z"))]
        return [
            {"name": name, "counters": {key: {"value": self.one(QUANTITIES[4:9])} for key in ("m", "n") if self.often(0.95)}}
            for name in names
        ]

    def consumption(self, name: str) -> Plain:
        """What a device takes of a set."""
        found: Plain = {
            "counterSet": name,
            "counters": {key: {"value": self.one(QUANTITIES[1:4])} for key in ("m", "n") if self.often(0.6)},
        }
        if self.often(0.15):
            found["compatibilityGroups"] = [self.one(("g", "h")) for _ in range(self.number(2))]
        return found

    def taint(self) -> Plain:
        """A taint, mostly one that counts."""
        found = {
            "key": self.one(("k", "l")),
            "effect": self.one(("NoSchedule", "NoExecute", "None", "Future")),
            "timeAdded": "2026-01-01T00:00:00Z",
        }
        return {**found, "value": self.one(("v", "w"))} if self.often(0.5) else found

    def rule(self, number: int) -> Plain:
        """A taint rule."""
        driver, pool, device = self.one(self.devices)
        selector = {key: value for key, value in (("driver", driver), ("pool", pool), ("device", device)) if self.often(0.6)}
        spec: Plain = {"taint": self.taint()}
        return {"metadata": {"name": f"rule-{number}"}, "spec": spec if self.often(0.1) else {**spec, "deviceSelector": selector}}

    def claims(self, prefix: str) -> list[Plain]:
        """The claims of one pod."""
        return [self.claim(f"{prefix}{number}") for number in range(self.number(1 + self.often(0.4) + self.often(0.2), self.often(0.98)))]

    def claim(self, name: str) -> Plain:
        """A claim of some requests."""
        requests = [self.request(f"r{number}") for number in range(self.number(1 + self.often(0.6) + self.often(0.3), self.often(0.97)))]
        devices: Plain = {"requests": requests}
        names = [request["name"] for request in requests] + ["r0/s0", "r0/s1", "r1/s0"]
        if "constraints" in self.about:
            devices["constraints"] = [self.constraint(names) for _ in range(self.number(2))]
        if self.often(0.3):
            devices["config"] = [
                {**self.config(), **({"requests": [self.one(names) for _ in range(self.number(2))]} if self.often(0.7) else {})}
                for _ in range(self.number(2))
            ]
        return {"metadata": {"name": name, "namespace": "ns"}, "spec": {"devices": devices}}

    def constraint(self, names: list[str]) -> Plain:
        """Something that devices have in common, or not."""
        attribute = self.one(("a.example.com/model", "a.example.com/numa", "other.example.com/x", "a.example.com/list"))
        found: Plain = {self.one(("matchAttribute", "distinctAttribute")): attribute} if self.often(0.98) else {}
        if self.often(0.5):
            found["requests"] = [self.one(names) for _ in range(self.number(2))]
        return found

    def request(self, name: str) -> Plain:
        """A request, or alternatives."""
        if self.often(0.3):
            return {"name": name, "firstAvailable": [{"name": f"s{number}", **self.spec()} for number in range(self.number(3))]}
        if "odd" in self.about and self.often(0.02):
            return {"name": name}
        spec = self.spec()
        if self.often(0.12):
            spec["adminAccess"] = self.often(0.8)
        return {"name": name, "exactly": spec}

    def spec(self) -> Plain:
        """What is asked for."""
        found: Plain = {"deviceClassName": self.one(("any", "any", "gpu")) if self.often(0.99) else self.one(("nope", ""))}
        if self.often(0.4):
            found["selectors"] = self.selectors(0.6)
        if self.often(0.15):
            found["allocationMode"] = "All" if self.often(0.96) else "Future"
        elif self.often(0.4):
            found["count"] = self.number(3)
        elif "odd" in self.about and self.often(0.1):
            found["count"] = self.one((0, -1, 17, 33, 30))
        if "taints" in self.about and self.often(0.5):
            found["tolerations"] = [self.toleration() for _ in range(self.number(2))]
        if "capacity" in self.about and self.often(0.6):
            names = ("bw", "mem") if self.often(0.97) else ("bw", "a.example.com/bw")
            found["capacity"] = {"requests": {key: self.quantity() for key in names if self.often(0.6)}}
        if self.often(0.4 if "derived" in self.about else 0.01):
            derived = ("a.example.com/model", "a.example.com/numa", "other.example.com/x")[: self.number(3)]
            found["derivedAttributes"] = [{"name": name, "expression": self.one(DERIVED)} for name in derived]
        return found

    def toleration(self) -> Plain:
        """A toleration of anything."""
        found: Plain = {}
        for key, values in (
            ("key", ("k", "l", "")),
            ("value", ("v", "w", "")),
            ("effect", ("NoSchedule", "NoExecute", "")),
            ("operator", ("Exists", "Equal", "Odd")),
        ):
            if self.often(0.6):
                found[key] = self.one(values)
        if self.often(0.2):
            found["tolerationSeconds"] = self.number(9, 0)
        return found

    def allocated(self, number: int) -> Plain:
        """A claim that has devices."""
        results = [self.result(share) for share in range(self.number(2))]
        return {"metadata": {"name": f"old-{number}", "namespace": "ns"}, "status": {"allocation": {"devices": {"results": results}}}}

    def result(self, number: int) -> Plain:
        """A device of a claim."""
        driver, pool, device = self.one(self.devices)
        found: Plain = {"request": "r", "driver": driver, "pool": pool, "device": device}
        if self.often(0.1):
            found["adminAccess"] = self.often(0.8)
        if "capacity" in self.about and self.often(0.7):
            found["shareID"] = f"{self.number(9)}-{number}"
            if self.often(0.8):
                found["consumedCapacity"] = {key: self.one(QUANTITIES[:4]) for key in ("bw", "mem") if self.often(0.6)}
        return found

    def state(self) -> Plain:
        """What is in use beside the claims."""
        places = [dict(zip(("driver", "pool", "device"), self.one(self.devices), strict=True)) for _ in range(3)]
        return {
            "devices": places[:1] if self.often(0.3) else [],
            "shared": [{**places[1], "shareID": "x"}] if self.often(0.5) else [],
            "capacity": [{**places[2], "capacity": {"bw": self.one(QUANTITIES[:4])}}] if self.often(0.5) else [],
        }
