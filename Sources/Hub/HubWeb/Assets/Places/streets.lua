-- What tilemaker takes out of OpenStreetMap for the maps of a hub (docs/maps.md). Tiles are shown at 512 pixels: zoom 14 here is 15 on the map.
--
-- Layers, each feature with a kind `k`: ground (polygons), water (polygons), coast (lines, water on their right), stream (lines), building
-- (polygons), road (lines: `name`, `ref`; `b` on bridges, `t` in tunnels), place (points: `name`, `n` people or metres).

node_keys = { "place", "natural" }

function init_function() end
function exit_function() end

local function set(words)
  local found = {}
  for word in words:gmatch("%S+") do found[word] = true end
  return found
end

-- From which zoom on a place has its name.
local places = { city = 9, town = 10, village = 11, suburb = 12, hamlet = 13, quarter = 13, neighbourhood = 14, locality = 14, isolated_dwelling = 14, island = 12, islet = 14 }

function node_function(node)
  local name, place = node:Find("name"), node:Find("place")
  if name == "" then return end
  if places[place] then
    node:Layer("place", false)
    node:MinZoom(places[place])
    node:Attribute("k", place)
    node:Attribute("name", name)
    node:AttributeNumeric("n", tonumber(node:Find("population")) or 0)
  elseif node:Find("natural") == "peak" then
    node:Layer("place", false)
    node:MinZoom(12)
    node:Attribute("k", "peak")
    node:Attribute("name", name)
    node:AttributeNumeric("n", tonumber(node:Find("ele")) or 0)
  end
end

-- Kind and zoom of roads, and the zoom of their names.
local roads = {
  motorway = { "motorway", 7, 11 }, trunk = { "trunk", 7, 12 }, primary = { "primary", 8, 12 }, secondary = { "secondary", 9, 12 },
  tertiary = { "tertiary", 11, 13 }, motorway_link = { "link", 11, 15 }, trunk_link = { "link", 11, 15 }, primary_link = { "link", 12, 15 },
  secondary_link = { "link", 12, 15 }, tertiary_link = { "link", 12, 15 }, unclassified = { "minor", 12, 13 }, residential = { "minor", 12, 13 },
  living_street = { "minor", 12, 13 }, road = { "minor", 12, 13 }, pedestrian = { "walk", 12, 13 }, service = { "service", 13, 14 },
  track = { "path", 12, 14 }, path = { "path", 12, 14 }, footway = { "path", 13, 14 }, cycleway = { "path", 12, 14 }, bridleway = { "path", 13, 14 },
  steps = { "path", 14, 15 },
}
local rails = set("rail light_rail subway narrow_gauge tram")

-- What grows or lies there.
local ground = {
  natural = { wood = "wood", scrub = "wood", wetland = "wet", beach = "sand", sand = "sand", grassland = "grass", heath = "grass", glacier = "ice", bare_rock = "rock", scree = "rock" },
  landuse = { forest = "wood", grass = "grass", meadow = "grass", recreation_ground = "grass", village_green = "grass", cemetery = "grass",
    allotments = "grass", orchard = "grass", vineyard = "grass", residential = "town", commercial = "town", industrial = "town", retail = "town" },
  leisure = { park = "park", garden = "park", golf_course = "park", nature_reserve = "", pitch = "sport", track = "sport", stadium = "sport", sports_centre = "sport" },
}

-- From which zoom on an area of so many square metres is worth its bytes.
local function zoom_of(area)
  if area > 20000000 then return 7 elseif area > 5000000 then return 8 elseif area > 1500000 then return 9 elseif area > 400000 then return 10
  elseif area > 100000 then return 11 elseif area > 25000 then return 12 elseif area > 4000 then return 13 end
  return 14
end

local function area(way, layer, kind)
  way:Layer(layer, true)
  way:MinZoom(zoom_of(way:Area()))
  way:Attribute("k", kind)
end

function way_function(way)
  local highway, natural, closed = way:Find("highway"), way:Find("natural"), way:IsClosed()
  if natural == "coastline" then way:Layer("coast", false) end

  local road = roads[highway]
  if road and not (closed and way:Find("area") == "yes") then
    way:Layer("road", false)
    way:MinZoom(road[2])
    way:Attribute("k", road[1])
    if way:Find("bridge") ~= "" and way:Find("bridge") ~= "no" then way:AttributeNumeric("b", 1, 13) end
    if way:Find("tunnel") ~= "" and way:Find("tunnel") ~= "no" then way:AttributeNumeric("t", 1, 12) end
    local name, ref = way:Find("name"), way:Find("ref")
    if name ~= "" and road[3] <= 14 then way:Attribute("name", name, road[3]) end
    if ref ~= "" and road[2] <= 9 then way:Attribute("ref", ref, 9) end
  elseif rails[way:Find("railway")] and way:Find("tunnel") ~= "yes" then
    way:Layer("road", false)
    way:MinZoom(way:Find("railway") == "rail" and way:Find("service") == "" and 9 or 13)
    way:Attribute("k", "rail")
  end

  local waterway = way:Find("waterway")
  if waterway == "river" or waterway == "canal" or waterway == "stream" then
    way:Layer("stream", false)
    way:MinZoom(waterway == "river" and 8 or waterway == "canal" and 11 or 13)
    way:Attribute("k", waterway)
    if way:Find("name") ~= "" then way:Attribute("name", way:Find("name"), 12) end
  end
  if not closed then return end

  if natural == "water" or waterway == "riverbank" or waterway == "dock" or way:Find("landuse") == "reservoir" or way:Find("landuse") == "basin" then
    if way:Find("covered") ~= "yes" then area(way, "water", "water") end
    return
  end
  local building = way:Find("building")
  if building ~= "" and building ~= "no" then
    way:Layer("building", true)
    return
  end
  if highway == "pedestrian" then area(way, "ground", "square") end
  for key, kinds in pairs(ground) do
    local kind = kinds[way:Find(key)]
    if kind and kind ~= "" then
      area(way, "ground", kind)
      return
    end
  end
end
